// SPDX-License-Identifier: Apache-2.0
#include <cuda/atomic>
extern "C" __global__ void atomic_refs(int* count, int* data, float* f, unsigned long long* big,
                                       int* y) {
  cuda::atomic_ref<int, cuda::thread_scope_device> c(*count);
  int ticket = c.fetch_add(1, cuda::memory_order_relaxed);
  cuda::atomic_ref<float, cuda::thread_scope_device> g(*f);
  g.fetch_add(0.5f);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_block> b(*big);
  b.fetch_max(1000ull + threadIdx.x);
  cuda::atomic_ref<int, cuda::thread_scope_system> d(*data);
  int seen = d.load(cuda::memory_order_acquire);
  while (!d.compare_exchange_weak(seen, seen + 2, cuda::memory_order_acq_rel)) {
  }
  y[ticket] = 1;
}
extern "C" __global__ void flags(int* data, int* flag, int* y) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    if (threadIdx.x == 0)
      cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).store(1, cuda::memory_order_release);
  } else {
    if (threadIdx.x == 0)
      while (cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).load(
                 cuda::memory_order_acquire) == 0) {
      }
    __syncthreads();
    y[threadIdx.x] = data[threadIdx.x] + 1;
  }
}
extern "C" __global__ void vectors(float4* v4, float2* v2, float* y) {
  atomicAdd(v4, make_float4(1, 2, 3, 4));
  atomicAdd(v2, make_float2(0.5f, 0.25f));
  float4 old = atomicAdd(v4 + 1 + threadIdx.x, make_float4(1, 2, 3, 4));
  y[threadIdx.x] = old.x + old.w;
}
extern "C" __global__ void kinds(int* i, unsigned* u, unsigned long long* l, long long* s,
                                 double* d, int* sh) {
  __shared__ int a[4];
  __shared__ unsigned long long b[2];
  __shared__ float f;
  __shared__ double g;
  int t = threadIdx.x;
  if (t < 4) a[t] = 0;
  if (t < 2) b[t] = 0;
  if (t == 0) f = 0, g = 0;
  __syncthreads();
  atomicAdd(i, 1);
  atomicSub(i + 1, 2);
  atomicMin(i + 2, -t);
  atomicMax(i + 3, t);
  atomicAnd(i + 4, ~(1 << t % 31));
  atomicOr(i + 5, 1 << t % 31);
  atomicXor(i + 6, t);
  atomicInc(u, 10);
  atomicDec(u + 1, 7);
  atomicExch(u + 2, 5u);
  atomicCAS(u + 3, 0u, 9u);
  atomicMin(u + 4, (unsigned)t);
  atomicMax(u + 5, (unsigned)t);
  atomicAdd(l, 1ull << 33);
  atomicMax(l + 1, (unsigned long long)t << 40);
  atomicMin(s, -(long long)t);
  atomicMax(s + 1, (long long)t);
  atomicAnd(l + 2, ~(1ull << t % 63));
  atomicOr(l + 3, 1ull << t % 63);
  atomicXor(l + 4, (unsigned long long)t);
  atomicCAS(l + 5, 0ull, 3ull);
  atomicExch(l + 6, 4ull);
  atomicAdd(d, 0.5);
  atomicAdd(a, 1);
  atomicMax(a + 1, t);
  atomicMin(a + 2, -t);
  atomicXor(a + 3, t);
  atomicAdd(b, 1ull << 40);
  atomicMax(b + 1, (unsigned long long)t);
  atomicAdd(&f, 0.25f);
  atomicAdd(&g, 0.125);
  unsigned short* h = (unsigned short*)(sh + 8);
  atomicCAS(h, (unsigned short)0, (unsigned short)7);
  __syncthreads();
  if (t < 4) sh[t] = a[t];
  if (t == 0) sh[4] = (int)(b[0] >> 40), sh[5] = (int)b[1], sh[6] = (int)f, sh[7] = (int)(g * 8);
}
extern "C" __global__ void wide(ulonglong2* p, ulonglong2* y) {
  unsigned __int128 old, want = (unsigned __int128)(threadIdx.x + 1) << 64 | 5;
  asm volatile(
      "{ .reg .b128 a, b; mov.b128 a, {%2, %3}; atom.global.exch.b128 b, [%4], a; mov.b128 {%0, "
      "%1}, b; }"
      : "=l"(((unsigned long long*)&old)[0]), "=l"(((unsigned long long*)&old)[1])
      : "l"((unsigned long long)want), "l"((unsigned long long)(want >> 64)), "l"(p)
      : "memory");
  y[threadIdx.x].x = (unsigned long long)old;
  y[threadIdx.x].y = (unsigned long long)(old >> 64);
}
extern "C" __global__ void reds(int* i, float* f) {
  asm volatile("red.global.add.s32 [%0], 3;" ::"l"(i) : "memory");
  asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(f), "f"(0.5f) : "memory");
  asm volatile("red.release.gpu.global.max.s32 [%0], %1;" ::"l"(i + 1), "r"(threadIdx.x)
               : "memory");
  asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(f + 2), "f"(1.0f), "f"(2.0f)
               : "memory");
  asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %1, %1, %1};" ::"l"(f + 4), "r"(0x3c003c00)
               : "memory");
  __threadfence();
  __threadfence_block();
  __threadfence_system();
}
