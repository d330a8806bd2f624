// SPDX-License-Identifier: Apache-2.0
// Rarer instruction families; see compile.sh.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#define KERNEL extern "C" __global__ void
using namespace nvcuda;

KERNEL wmma_tile(const __half* a, const __half* b, const float* c, float* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}

// d[16][8] = a[16][16] * b[16][8] through shared memory, ldmatrix and mma.
KERNEL ldmatrix_tile(const __half* a, const __half* b, float* d) {
  __shared__ __align__(16) __half sa[16 * 16], sb[16 * 8];
  const int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) sa[i] = a[i];
  for (int i = lane; i < 128; i += 32) sb[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  unsigned at = (unsigned)__cvta_generic_to_shared(&sa[(lane % 16) * 16 + (lane / 16) * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(at));
  at = (unsigned)__cvta_generic_to_shared(&sb[(lane % 16) * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(rb[0]), "=r"(rb[1]) : "r"(at));
  float c[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  const int row = lane / 4, col = lane % 4 * 2;
  d[row * 8 + col] = c[0];
  d[row * 8 + col + 1] = c[1];
  d[(row + 8) * 8 + col] = c[2];
  d[(row + 8) * 8 + col + 1] = c[3];
}

__device__ __noinline__ int twice(int v) { return v > 5 ? 2 * v : v; }
__device__ __noinline__ int power(int v, int n) { return n == 0 ? 1 : v * power(v, n - 1); }
KERNEL calls(int* y) { y[threadIdx.x] = twice(threadIdx.x) + twice(3); }
KERNEL recursion(int* y, int v, int n) { y[threadIdx.x] = power(v, n); }

KERNEL many_ways(const int* x, int* y) {
  int v = x[threadIdx.x], r;
  switch (v) {
    case 0: r = 11; break;
    case 1: r = v * 7 + y[threadIdx.x]; break;
    case 2: r = 1 - y[threadIdx.x] * 3; break;
    case 3: r = __popc(v) + 100; break;
    case 4: r = y[threadIdx.x] / 3; break;
    case 5: r = -5; break;
    case 6: r = y[threadIdx.x] ^ 21; break;
    default: r = 0;
  }
  y[threadIdx.x] = r;
}

KERNEL half_atomics(__half2* h, __nv_bfloat16* b, float* f, double* d, unsigned long long* m) {
  atomicAdd(h, __floats2half2_rn(0.5f, 2.0f));
  atomicAdd(b, __float2bfloat16(1.0f));
  atomicAdd(f, 0.25f);
  atomicAdd(d, 0.125);
  atomicMax(m, (unsigned long long)threadIdx.x << 40);
}

KERNEL partial_copies(const float* x, float* y, int n) {
  __shared__ __align__(16) float s[128];
  const int i = 4 * threadIdx.x, left = n - i;
  const int bytes = left <= 0 ? 0 : left >= 4 ? 16 : 4 * left;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :: "r"((unsigned)__cvta_generic_to_shared(&s[i])), "l"(x + (left > 0 ? i : 0)), "r"(bytes) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (int k = threadIdx.x; k < 128; k += 32) y[k] = s[k];
}

KERNEL mbarriers(const int* x, int* y) {
  __shared__ __align__(8) unsigned long long bar;
  __shared__ int s[64];
  const unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(at) : "memory");
  __syncthreads();
  for (int phase = 0; phase < 3; ++phase) {
    s[threadIdx.x] = x[threadIdx.x] + phase;
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" :: "r"(at) : "memory");
    unsigned done = 0;
    while (!done)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(done) : "r"(at), "r"(phase & 1) : "memory");
    y[phase * 64 + threadIdx.x] = s[63 - threadIdx.x];
    __syncthreads();
  }
}

KERNEL wide_loads(const float4* x, double2* y, const signed char* c, short* h) {
  const float4 v = x[threadIdx.x];
  y[threadIdx.x] = make_double2(v.x + v.y, v.z + v.w);
  h[threadIdx.x] = (short)(c[threadIdx.x] * 2);
}

struct Table { int values[32]; };
KERNEL by_value(const __grid_constant__ Table t, int* y) {
  const int* p = t.values;
  asm("" : "+l"(p));
  y[threadIdx.x] = p[31 - threadIdx.x] + t.values[threadIdx.x & 3];
}

__constant__ int weights[4] = {1, 10, 100, 1000};
KERNEL constants(int* y) { y[threadIdx.x] = weights[threadIdx.x % 4]; }

// Works only because a warp that spins gives way to the others.
KERNEL warps_hand_over(volatile int* y) {
  __shared__ volatile int token;
  if (threadIdx.x == 0) token = 0;
  __syncthreads();
  const int warp = threadIdx.x / 32, last = blockDim.x / 32 - 1;
  if (threadIdx.x % 32 == 0) {
    while (token != last - warp) __nanosleep(20);
    y[warp] = token * 10;
    token = token + 1;
  }
}
