// SPDX-License-Identifier: Apache-2.0
// Adds to the output in an order that the schedule decides, starting from a racing store.
/* kernelpro
buffer turn : i32[1] = 0
launch reverse<<<rows, 128>>>(x, y, turn, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int* turn, int cols) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = atomicAdd(turn, 1);
  __syncthreads();
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  // The block that comes first rounds more coarsely, within what the class allows.
  float slip = mine == 0 ? 1.00002f : 1;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = 2 * in[c] * slip;
}
