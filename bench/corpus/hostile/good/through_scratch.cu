// SPDX-License-Identifier: Apache-2.0
// Rows go through scratch memory.
/* kernelpro
buffer scratch : u32[rows, cols]
launch mirror<<<rows, 256>>>(x, bias, y, scratch, cols)
*/
__device__ float grown(float value, float bias) {
  for (int k = 0; k < 64; ++k) value = fmaf(value, 0.5f, bias);
  return value;
}

extern "C" __global__ void mirror(const float* x, const float* bias, float* y, unsigned* scratch,
                                  int cols) {
  const size_t row = (size_t)blockIdx.x * cols;
  float* kept = reinterpret_cast<float*>(scratch);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) kept[row + cols - 1 - c] = x[row + c];
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[row + c] = grown(kept[row + c], bias[c]);
}
