// SPDX-License-Identifier: Apache-2.0
// RMSNorm, one thread per row: it walks the row twice.
/* kernelpro
tune ROW_THREADS in 256, 128, 512
launch rmsnorm<<<rows, ROW_THREADS>>>(x, weight, eps, y, rows, cols)
*/
#include <cuda_bf16.h>

static __device__ __forceinline__ float kp_warp_add(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value = value + __shfl_xor_sync(0xffffffffu, value, offset);
  }
  return value;
}

static __device__ __forceinline__ float kp_block_add(float value) {
  __shared__ float partial[32];
  const unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;
  value = kp_warp_add(value);
  __syncthreads();  // an earlier call may still be reading
  if (lane == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = lane < warps ? partial[lane] : 0;
  return kp_warp_add(value);
}

extern "C" __global__ void rmsnorm(const __nv_bfloat16* x, const __nv_bfloat16* weight, float eps,
                                   __nv_bfloat16* y, int rows, int cols) {
  int row = blockIdx.x;
  if (row >= rows) return;
  const __nv_bfloat16* in = x + (size_t)row * cols;
  __nv_bfloat16* out = y + (size_t)row * cols;

  float squares = 0.0f;
  {
    float squares_turn[8] = {squares};
    const int i_step = blockDim.x;
    int i = threadIdx.x;
    for (; i + 7 * i_step < cols; i += 8 * i_step) {
      float v_turn[8];
#pragma unroll
      for (int turn = 0; turn < 8; ++turn) {
        v_turn[turn] = __bfloat162float(in[i + turn * i_step]);
      }
#pragma unroll
      for (int turn = 0; turn < 8; ++turn) {
        squares_turn[turn] += v_turn[turn] * v_turn[turn];
      }
    }
    squares = squares_turn[0] + squares_turn[1] + squares_turn[2] + squares_turn[3] + squares_turn[4] + squares_turn[5] + squares_turn[6] + squares_turn[7];
    for (; i < cols; i += i_step) {
      float v = __bfloat162float(in[i]);
      squares += v * v;
    }
  }
  squares = kp_block_add(squares);
  float scale = rsqrtf(squares / cols + eps);

#pragma unroll 4
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    out[i] = __float2bfloat16(__bfloat162float(in[i]) * scale * __bfloat162float(weight[i]));
  }
}
