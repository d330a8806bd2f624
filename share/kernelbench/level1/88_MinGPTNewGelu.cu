// SPDX-License-Identifier: Apache-2.0
// GELU by the hyperbolic tangent, one element per thread.
/* kernelpro
launch new_gelu<<<ceil_div(batch_size * dim, 256), 256>>>(x, out, batch_size, dim)
*/
extern "C" __global__ void new_gelu(const float* x, float* out, int batch_size, int dim) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (long long)batch_size * dim) {
    float v = x[i];
    out[i] = 0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)));
  }
}
