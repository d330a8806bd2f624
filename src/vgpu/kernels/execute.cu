// SPDX-License-Identifier: Apache-2.0
// Source of execute.ptx: nvcc -ptx -arch=sm_90 -lineinfo execute.cu
#include <cooperative_groups.h>

extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void nested(const int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = x[i], steps = 0;
  while (v != 1) {  // Collatz: a trip count of its own for each lane
    if (v % 2 == 0) {
      v /= 2;
    } else {
      if (v % 3 == 0) steps += 100;
      v = 3 * v + 1;
    }
    ++steps;
  }
  y[i] = steps;
}

extern "C" __global__ void block_sum(const float* x, float* sums, int n) {
  __shared__ float part[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  }
}

// Every lane takes the same lock: without progress for the winner this never ends.
extern "C" __global__ void lane_lock(int* lock, int* counter) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *(volatile int*)counter += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

extern "C" __global__ void histogram(const unsigned* x, unsigned* bins, int n) {
  __shared__ unsigned local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[x[i] % 16], 1u);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

// Two warps produce for two others over named barriers.
extern "C" __global__ void named_barriers(const int* x, int* y, int rounds) {
  __shared__ int box[64];
  const bool producer = threadIdx.x < 64;
  const int at = threadIdx.x % 64;
  for (int r = 0; r < rounds; ++r) {
    if (producer) {
      asm volatile("bar.sync 2, 128;" ::: "memory");
      box[at] = x[r * 64 + at];
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
      asm volatile("bar.arrive 2, 128;" ::: "memory");
      asm volatile("bar.sync 1, 128;" ::: "memory");
      y[r * 64 + at] = box[63 - at];
    }
  }
}

extern "C" __global__ void votes(const int* x, int* y) {
  const int i = threadIdx.x;
  y[0 * 128 + i] = __syncthreads_count(x[i] > 0);
  y[1 * 128 + i] = __syncthreads_and(x[i] > 0);
  y[2 * 128 + i] = __syncthreads_or(x[i] > 1000);
}

extern "C" __global__ void early_exit(int* y, int n) {
  __shared__ int last;
  if (threadIdx.x >= n) return;
  if (threadIdx.x == 0) last = 7;
  __syncthreads();
  y[threadIdx.x] = last;
}

extern "C" __global__ void grid_barrier(int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  x[i] = i;
  cooperative_groups::this_grid().sync();
  y[i] = x[n - 1 - i];
}

// The classic last-block reduction.
extern "C" __global__ void last_block(const float* x, float* part, unsigned* count, float* y, int n) {
  __shared__ float s[128];
  __shared__ bool is_last;
  const int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  s[t] = sum;
  __syncthreads();
  for (int d = 64; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    is_last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    sum = 0;
    for (int b = t; b < gridDim.x; b += blockDim.x) sum += part[b];
    s[t] = sum;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
      if (t < d) s[t] += s[t + d];
      __syncthreads();
    }
    if (t == 0) *y = s[0];
  }
}

__device__ int module_counter = 5;
extern "C" __global__ void count_up(int* y) { *y = module_counter++; }

extern "C" __global__ void local_array(const int* order, int* y) {
  int stack[16];
  for (int i = 0; i < 16; ++i) stack[i] = threadIdx.x * 100 + i;
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += stack[order[i] & 15] * i;
  y[threadIdx.x] = sum;
}

extern "C" __global__ void groups(const int* x, int* y) {
  const unsigned peers = __match_any_sync(~0u, x[threadIdx.x]);
  y[threadIdx.x] = __reduce_add_sync(peers, (int)threadIdx.x);
}

extern "C" __global__ void stop_here(int* y) {
  if (y[0] == 1) __trap();
  y[1 + threadIdx.x] = 3;
}

extern "C" __global__ void endless(volatile int* y) {
  while (*y == 0) {
  }
}
