// SPDX-License-Identifier: Apache-2.0
// A lock-free counter deals the rows out; blocks hand on what they did by a fence and a flag.
/* kernelpro
buffer count : i32[2] = 0
launch reverse<<<rows, 128>>>(x, y, count, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int* count, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  __shared__ int row;
  if (threadIdx.x == 0) row = atomicAdd(count, 1);
  __syncthreads();
  in = x + (size_t)row * cols;
  out = y + (size_t)row * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = 2 * in[c];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    int done = atomicAdd(count + 1, 1);
    if (done == gridDim.x - 1) {
      volatile float* all = y;
      all[0] = all[0];
    }
  }
}
