// SPDX-License-Identifier: Apache-2.0
// Calls itself until the stack ends.
/* kernelpro
launch mirror<<<rows, 256>>>(x, bias, y, cols)
*/
__device__ __noinline__ float deep(const float* x, int depth) {
  volatile float frame[64];
  frame[depth % 64] = x[0];
  return frame[depth % 64] < 1.0e30f ? deep(x, depth + 1) + frame[(depth + 1) % 64] : 0.0f;
}
__device__ float grown(float value, float bias) {
  for (int k = 0; k < 64; ++k) value = fmaf(value, 0.5f, bias);
  return value;
}

extern "C" __global__ void mirror(const float* x, const float* bias, float* y, int cols) {
  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[row + c] = grown(x[row + cols - 1 - c], bias[c]);
  if (deep(x, threadIdx.x) == 1.0e30f) y[row] = 0.0f;
}
