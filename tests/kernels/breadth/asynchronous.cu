// SPDX-License-Identifier: Apache-2.0
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
extern "C" __global__ void pipeline_primitives(const float* x, float* y, int tiles) {
  __shared__ float buffer[2][128];
  int i = threadIdx.x;
  __pipeline_memcpy_async(&buffer[0][i], x + i, 4);
  __pipeline_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      __pipeline_memcpy_async(&buffer[(t + 1) % 2][i], x + (t + 1) * 128 + i, 4);
      __pipeline_commit();
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    y[t * 128 + i] = buffer[t % 2][127 - i];
    __syncthreads();
  }
}
extern "C" __global__ void inline_copies(const float4* x, float4* y, int valid) {
  __shared__ float4 buffer[64];
  int i = threadIdx.x;
  unsigned to = __cvta_generic_to_shared(buffer + i);
  int bytes = i < valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(x + i),
               "r"(bytes)
               : "memory");
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  y[i] = buffer[63 - i];
}
extern "C" __global__ void barriers(const int* x, int* y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int buffer[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    buffer[threadIdx.x] = x[threadIdx.x] + round;
    auto token = bar.arrive();
    bar.wait(std::move(token));
    y[round * 128 + threadIdx.x] = buffer[(threadIdx.x + 33) % 128];
    bar.arrive_and_wait();
  }
}
extern "C" __global__ void async_barrier(const int* x, int* y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int buffer[128];
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  block.sync();
  cuda::memcpy_async(buffer + threadIdx.x, x + threadIdx.x, sizeof(int), bar);
  bar.arrive_and_wait();
  y[threadIdx.x] = buffer[127 - threadIdx.x];
}
extern "C" __global__ void pipelines(const int* x, int* y, int tiles) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int buffer[2][64];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int t = 0; t <= tiles; ++t) {
    if (t < tiles) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[t % 2], x + t * 64, sizeof(int) * 64, pipe);
      pipe.producer_commit();
    }
    if (t > 0) {
      pipe.consumer_wait();
      y[(t - 1) * 64 + threadIdx.x] = buffer[(t - 1) % 2][63 - threadIdx.x];
      pipe.consumer_release();
    }
  }
}
extern "C" __global__ void warp_specialised(const int* x, int* y, int tiles) {
  __shared__ int buffer[2][32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int t = 0; t < tiles; ++t) {
      asm volatile("bar.sync %0, 64;" ::"r"(3 + t % 2) : "memory");  // empty
      buffer[t % 2][lane] = x[t * 32 + lane];
      __threadfence_block();
      asm volatile("bar.arrive %0, 64;" ::"r"(1 + t % 2) : "memory");  // full
    }
  } else {
    asm volatile("bar.arrive 3, 64;" ::: "memory");
    asm volatile("bar.arrive 4, 64;" ::: "memory");
    for (int t = 0; t < tiles; ++t) {
      asm volatile("bar.sync %0, 64;" ::"r"(1 + t % 2) : "memory");
      y[t * 32 + lane] = buffer[t % 2][31 - lane];
      if (t + 2 < tiles) asm volatile("bar.arrive %0, 64;" ::"r"(3 + t % 2) : "memory");
    }
  }
}
