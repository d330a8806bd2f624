// SPDX-License-Identifier: Apache-2.0
// Scratch memory, zeroed memory and a timed zero step, all used as they should be.
/* kernelpro
buffer part : f32[rows * cols]
buffer count : i32[1] = 0
launch fill<<<rows, 128>>>(x, part, count, cols)
launch reverse<<<rows, 128>>>(part, y, cols)
*/
extern "C" __global__ void fill(const float* x, float* part, int* count, int cols) {
  size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) part[row + c] = 2 * x[row + c];
  if (threadIdx.x == 0) atomicAdd(count, 1);
}
extern "C" __global__ void reverse(const float* part, float* y, int cols) {
  size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[row + cols - 1 - c] = part[row + c];
}
