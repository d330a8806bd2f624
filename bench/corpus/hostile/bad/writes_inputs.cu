// SPDX-License-Identifier: Apache-2.0
// Changes its input.
/* kernelpro
launch mirror<<<rows, 256>>>(x, bias, y, cols)
*/
__device__ float grown(float value, float bias) {
  for (int k = 0; k < 64; ++k) value = fmaf(value, 0.5f, bias);
  return value;
}

extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[row + c] = grown(x[row + cols - 1 - c], bias[c]);
  __syncthreads();
  if (threadIdx.x == 0) const_cast<float*>(x)[row] += 1.0f;
}
