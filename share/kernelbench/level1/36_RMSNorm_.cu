// SPDX-License-Identifier: Apache-2.0
// RMS norm over the features, one thread per point.
/* kernelpro
launch rmsnorm<<<ceil_div(batch_size * dim1 * dim2, 256), 256>>>(x, out, batch_size, features, dim1, dim2)
*/
extern "C" __global__ void rmsnorm(const float* x, float* out, int batch_size, int features,
                                   int dim1, int dim2) {
  long long points = (long long)dim1 * dim2;
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < batch_size * points) {
    long long first = i / points * features * points + i % points;
    float sum = 0.0f;
    for (int f = 0; f < features; ++f) sum += x[first + f * points] * x[first + f * points];
    float r = 1.0f / sqrtf(sum / features + 1e-5f);
    for (int f = 0; f < features; ++f) out[first + f * points] = x[first + f * points] * r;
  }
}
