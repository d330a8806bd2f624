// SPDX-License-Identifier: Apache-2.0
// Rectifier, one element per thread.
/* kernelpro
launch relu<<<ceil_div(batch_size * dim, 256), 256>>>(x, out, batch_size, dim)
*/
extern "C" __global__ void relu(const float* x, float* out, int batch_size, int dim) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (long long)batch_size * dim) {
    float v = x[i];
    out[i] = v < 0.0f ? 0.0f : v;
  }
}
