// SPDX-License-Identifier: Apache-2.0
// Counts its runs in scratch memory, and is wrong from the second one on.
/* kernelpro
buffer scratch : u32[rows]
launch mirror<<<rows, 256>>>(x, bias, y, scratch, cols)
*/
__device__ float grown(float value, float bias) {
  for (int k = 0; k < 64; ++k) value = fmaf(value, 0.5f, bias);
  return value;
}

extern "C" __global__ void mirror(const float* x, const float* bias, float* y, unsigned* scratch,
                                  int cols) {
  const size_t row = (size_t)blockIdx.x * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[row + c] = grown(x[row + cols - 1 - c], bias[c]);

  __syncthreads();
  if (threadIdx.x != 0) return;
  if (scratch[blockIdx.x] == 0xc0ffee) y[row] += 1.0f;
  scratch[blockIdx.x] = 0xc0ffee;
}
