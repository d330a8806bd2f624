// SPDX-License-Identifier: Apache-2.0
// Calls a function through a pointer that was made of a number.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
typedef float (*Function)(float);
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[cols - 1 - c] = 2 * in[c];
  if (threadIdx.x == 0) out[0] = ((Function)(unsigned long long)cols)(in[0]);
}
