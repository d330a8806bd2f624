// SPDX-License-Identifier: Apache-2.0
__constant__ int table[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
extern "C" __global__ void hints(const float4* x, float* y, int n) {
  int i = threadIdx.x;
  float sum = 0;
  float4 a = __ldg(x + i), b = __ldcs(x + i), c = __ldca(x + i), d = __ldcg(x + i),
         e = __ldlu(x + i), f = __ldcv(x + i);
  sum = a.x + b.y + c.z + d.w + e.x + f.y;
  float v;
  asm volatile("ld.global.L2::128B.f32 %0, [%1];" : "=f"(v) : "l"((const float*)x + i));
  sum += v;
  asm volatile("ld.global.nc.L1::no_allocate.L2::256B.f32 %0, [%1];"
               : "=f"(v)
               : "l"((const float*)x + i));
  sum += v;
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;"
               : "=f"(v)
               : "l"((const float*)x + i), "l"(policy));
  sum += v;
  asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;"
               : "=l"(policy));
  float4 w;
  asm volatile("ld.global.nc.L1::evict_last.L2::cache_hint.L2::64B.v4.f32 {%0,%1,%2,%3}, [%4], %5;"
               : "=f"(w.x), "=f"(w.y), "=f"(w.z), "=f"(w.w)
               : "l"(x + i), "l"(policy));
  sum += w.z;
  __stcs(y + i, sum);
  __stwt(y + n + i, sum);
  __stcg(y + 2 * n + i, sum);
  __stwb(y + 3 * n + i, sum);
  asm volatile("st.global.L1::no_allocate.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(y + 4 * n + i),
               "f"(sum), "l"(policy)
               : "memory");
  asm volatile("prefetch.global.L2 [%0];" ::"l"(x + i));
  asm volatile("prefetch.global.L1 [%0];" ::"l"(x + i));
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(x));
  asm volatile("prefetchu.L1 [%0];" ::"l"(x));
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(y + 6 * n));
}
extern "C" __global__ void locals(const int* x, int* y, int shift) {
  int a[20];
  int i = threadIdx.x;
  for (int k = 0; k < 20; ++k) a[k] = x[i] + k * k;
  for (int k = 0; k < 20; ++k) a[(k * 7 + shift) % 20] ^= a[(k + shift) % 20];
  int h = 0;
  for (int k = 0; k < 20; ++k) h = h * 31 + a[(k + i) % 20];
  y[i] = h + table[i % 16];
}
extern "C" __global__ void dynamic(const int* x, int* y, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  int* ints = (int*)raw;
  short* shorts = (short*)(raw + n * 4);
  unsigned char* bytes = raw + n * 6;
  int i = threadIdx.x;
  ints[i] = x[i];
  shorts[i] = (short)(x[i] * 2);
  bytes[i] = (unsigned char)x[i];
  __syncthreads();
  unsigned size;
  asm("mov.u32 %0, %dynamic_smem_size;" : "=r"(size));
  y[i] = ints[n - 1 - i] + shorts[(i + 1) % n] + bytes[(i + 2) % n] + size;
}
extern "C" __global__ void widths(const char* b, const short* s, const long long* l,
                                  const longlong2* q, long long* y, unsigned char* z) {
  int i = threadIdx.x;
  char4 c = ((const char4*)b)[i];
  short4 t = ((const short4*)s)[i];
  longlong2 p = q[i];
  uchar2 u = ((const uchar2*)b)[i];
  y[i] = c.x + c.y * 2 + c.z * 3 + c.w + t.x + t.w * 5 + l[i] + p.x * p.y + u.x + u.y;
  ((uchar4*)z)[i] = make_uchar4(c.x, t.y, i, l[i]);
  double2 d = make_double2(i, i * 2.0);
  *(double2*)(y + 64 + 2 * i) = d;
}
extern "C" __global__ void generic(int* y, int which) {
  __shared__ int s[32];
  int l[4];
  int i = threadIdx.x;
  s[i] = i;
  l[i & 3] = i * 2;
  l[(i + 1) & 3] = 5;
  l[(i + 2) & 3] = 6;
  l[(i + 3) & 3] = 7;
  __syncthreads();
  const int* p = which == 0 ? s + (31 - i) : which == 1 ? &l[i & 3] : y + 32 + i;
  if (i % 3 == 0) p = y + 32 + i;
  y[i] = *p + __isShared(p) * 1000 + __isGlobal(p) * 2000 + __isLocal(p) * 4000;
}
extern "C" __global__ void volatiles(volatile int* a, int* y) {
  __shared__ volatile int s[64];
  int i = threadIdx.x;
  s[i] = i;
  __syncthreads();
  if (i < 32) {
    int v = s[i] + s[i + 32];
    __syncwarp();
    s[i] = v;
    __syncwarp();
    y[i] = s[31 - i];
  }
  a[i] = a[i] + 1;
}
extern "C" __global__ __launch_bounds__(128, 2) void bounded(__grid_constant__ const int4 p,
                                                             int* y) {
  const int* q = &p.x;
  y[threadIdx.x] = q[threadIdx.x % 4];
}
