// SPDX-License-Identifier: Apache-2.0
// Small kernels whose PTX holds what compilers emit: see the tests that read kernels.ptx.
#include <cooperative_groups.h>

struct Pair {
  char tag;
  int x;
  float* where;
  double scale;
};
__device__ float table[4] = {1.f, 2.f, 3.f, 4.f};
__device__ float* rows[2] = {table + 1, table + 2};
__constant__ int steps[3] = {1, 2, 3};

__device__ __noinline__ float grow(float x, int n) {
  float s = x;
  for (int i = 0; i < n; ++i) s = s * s + x;
  return s;
}
__device__ __noinline__ float2 scaled(Pair p, float y) { return make_float2(p.x * y, p.scale); }

extern __shared__ float extra[];

extern "C" __global__ void __launch_bounds__(256, 2) calls(const float* x, float* y, int n, Pair p) {
  __shared__ float tile[32][33];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x / 32][threadIdx.x % 32] = x[i];
  extra[threadIdx.x] = x[i];
  __syncthreads();
  float v = grow(tile[threadIdx.x % 32][threadIdx.x / 32], n) + rows[n & 1][0] + steps[n % 3];
  float2 w = scaled(p, v);
  y[i] = w.x + w.y + extra[(threadIdx.x + 1) % blockDim.x] + grow(w.x, 3);
}

extern "C" __global__ void grid_barrier(int* a) {
  auto grid = cooperative_groups::this_grid();
  a[grid.thread_rank()] = 1;
  grid.sync();
  a[0] = a[1] + a[2];
}

extern "C" __global__ void inline_assembly(unsigned* a) {
  asm volatile("{ .reg .u32 t; mov.u32 t, %%smid; st.global.u32 [%0], t; }" ::"l"(a));
  asm volatile("{ .reg .u32 t; mov.u32 t, %%laneid; st.global.u32 [%0+4], t; }" ::"l"(a));
}

extern "C" __global__ void local_array(float* a, int n) {
  float kept[32];
  for (int i = 0; i < n; ++i) kept[i & 31] = a[i];
  a[0] = kept[n & 31];
}

extern "C" __global__ void choose(int* a, int n) {
  int x = a[threadIdx.x];
  for (;;) {
    switch (x & 15) {
      case 0: x += 7; break;
      case 1: x ^= 3; break;
      case 2: x *= 5; continue;
      case 3: x -= 11; break;
      case 5: return;
      case 7: x = n / x; break;
      case 9: a[1] = x; break;
    }
    if (x > n) break;
    if (x == 77) continue;
    x++;
  }
  a[threadIdx.x] = x;
}
