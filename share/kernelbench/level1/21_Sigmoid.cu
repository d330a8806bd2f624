// SPDX-License-Identifier: Apache-2.0
// Logistic function, one element per thread.
/* kernelpro
launch sigmoid<<<ceil_div(batch_size * dim, 256), 256>>>(x, out, batch_size, dim)
*/
extern "C" __global__ void sigmoid(const float* x, float* out, int batch_size, int dim) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (long long)batch_size * dim) {
    float v = x[i];
    out[i] = 1.0f / (1.0f + expf(-v));
  }
}
