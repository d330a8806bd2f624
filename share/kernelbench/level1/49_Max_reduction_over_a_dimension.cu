// SPDX-License-Identifier: Apache-2.0
// Largest over the middle dimension, one thread per result.
/* kernelpro
launch max_rows<<<(ceil_div(dim2, 256), batch_size), 256>>>(x, out, dim1, dim2)
*/
extern "C" __global__ void max_rows(const float* x, float* out, int dim1, int dim2) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col < dim2) {
    float best = -INFINITY;
    for (int row = 0; row < dim1; ++row) {
      float v = x[((long long)blockIdx.y * dim1 + row) * dim2 + col];
      if (v > best || v != v) best = v;
    }
    out[(long long)blockIdx.y * dim2 + col] = best;
  }
}
