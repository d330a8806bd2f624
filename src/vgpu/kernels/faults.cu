// SPDX-License-Identifier: Apache-2.0
// Kernels with one fault each, and right ones that resemble them; see compile.sh.
#include <cuda_pipeline.h>
#define KERNEL extern "C" __global__ void

KERNEL past_the_end(const float* x, float* y, int shift) {
  y[threadIdx.x] = x[(int)threadIdx.x + shift];
}
KERNEL misaligned(const char* x, int* y) { y[threadIdx.x] = *(const int*)(x + 4 * threadIdx.x + 2); }
KERNEL shared_past_the_end(int* y) {
  extern __shared__ int s[];
  s[threadIdx.x + 1] = 1;
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
}
KERNEL null_pointer(const int* x, int* y) { y[threadIdx.x] = *x; }

KERNEL missing_barrier(const int* x, int* y) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = s[63 - threadIdx.x];
}
KERNEL with_barrier(const int* x, int* y) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[63 - threadIdx.x];
}
KERNEL missing_syncwarp(const int* x, int* y) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = s[31 - threadIdx.x];
}
KERNEL with_syncwarp(const int* x, int* y) {
  __shared__ int s[32];
  int v = x[threadIdx.x];
  for (int round = 0; round < 3; ++round) {
    s[threadIdx.x] = v;
    __syncwarp();
    v = s[31 - threadIdx.x];
    __syncwarp();
  }
  y[threadIdx.x] = v;
}
KERNEL one_store_two_values(int* y) { y[threadIdx.x / 2] = threadIdx.x; }
KERNEL one_store_same_value(int* y) { y[threadIdx.x / 2] = threadIdx.x / 2; }
KERNEL neighbour_bytes(unsigned char* y) { y[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
KERNEL blocks_collide(int* y) { y[threadIdx.x] = blockIdx.x; }
KERNEL last_block_without_fence(const int* x, int* part, unsigned* count, int* y) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = x[blockIdx.x];
  if (atomicAdd(count, 1u) != gridDim.x - 1) return;
  int sum = 0;
  for (int b = 0; b < gridDim.x; ++b) sum += part[b];
  *y = sum;
}
KERNEL cas_loop(float* y) {
  int* at = (int*)y;
  int old = *at, seen;
  do {
    seen = old;
    old = atomicCAS(at, seen, __float_as_int(__int_as_float(seen) + 1.0f));
  } while (old != seen);
}
KERNEL flag_between_blocks(int* box, volatile int* flag, int* y) {
  if (blockIdx.x == 0) {
    box[threadIdx.x] = 7;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
  } else {
    if (threadIdx.x == 0)
      while (*flag == 0) {
      }
    __syncthreads();
    y[threadIdx.x] = box[threadIdx.x];
  }
}

KERNEL branch_on_undefined(const int* x, int* y) {
  if (x[threadIdx.x] > 0) y[threadIdx.x] = 1;
}
KERNEL undefined_index(const int* x, int* y) { y[x[threadIdx.x]] = 1; }
KERNEL undefined_output(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] + 1; }
KERNEL undefined_unused(const int* x, int* y, int n) {
  const int v = threadIdx.x < n ? x[threadIdx.x] : 0;
  y[threadIdx.x] = __shfl_xor_sync(~0u, threadIdx.x < n ? v : -1, 1) & 0xff;
}
KERNEL masked_tail(const int* x, int* y, int n) {
  // Lanes behind n read undefined data and throw it away without a branch.
  const int v = x[threadIdx.x];
  int r;
  asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.b32 %0, %3, 0, p; }"
      : "=r"(r)
      : "r"(threadIdx.x), "r"(n), "r"(v));
  y[threadIdx.x] = r;
}
KERNEL shared_not_written(int* y) {
  __shared__ int s[64];
  if (threadIdx.x < 32) s[threadIdx.x] = 1;
  __syncthreads();
  if (s[threadIdx.x] == 1) y[threadIdx.x] = 1;
}

KERNEL barrier_in_a_branch(int* y) {
  if (threadIdx.x < 40)
    __syncthreads();
  else
    asm volatile("bar.sync 3;" ::: "memory");
  y[threadIdx.x] = 1;
}
KERNEL exit_before_barrier(int* y, int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();
  y[threadIdx.x] = 1;
}
KERNEL shuffle_in_a_branch(int* y) {
  int v = threadIdx.x;
  if (threadIdx.x < 16)
    v = __shfl_sync(~0u, v, 0);
  else
    __syncwarp();
  y[threadIdx.x] = v;
}
KERNEL async_copy(const int* x, int* y) {
  __shared__ int s[128];
  __pipeline_memcpy_async(&s[4 * threadIdx.x], &x[4 * threadIdx.x], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (int i = threadIdx.x; i < 128; i += 32) y[i] = s[127 - i];
}
