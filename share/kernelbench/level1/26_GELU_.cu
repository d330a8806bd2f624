// SPDX-License-Identifier: Apache-2.0
// GELU by the error function, one element per thread.
/* kernelpro
launch gelu<<<ceil_div(batch_size * dim, 256), 256>>>(x, out, batch_size, dim)
*/
extern "C" __global__ void gelu(const float* x, float* out, int batch_size, int dim) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (long long)batch_size * dim) {
    float v = x[i];
    out[i] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
  }
}
