// SPDX-License-Identifier: Apache-2.0
// Is wrong at half of all times.
/* kernelpro
launch mirror<<<rows, 256>>>(x, bias, y, cols)
*/
extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[row + c] = fmaf(2.0f, x[row + cols - 1 - c], bias[c]);
  __syncthreads();
  unsigned now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(now));
  if (threadIdx.x == 0 && (now >> 4 & 1) != 0) y[row] += 1.0f;
}
