// SPDX-License-Identifier: Apache-2.0
// A matrix product in tiles of 16 x 16 through shared memory, still one output a thread.
/* kernelpro
axis   m = 2048, n = 2048, k = 1024
check  m = 67, n = 35, k = 131
input  a : f32[m, k] ~ normal
input  b : f32[k, n] ~ normal
output c : f32[m, n]
precision f32
work   flops = 2 * m * n * k, contraction
launch matmul<<<(ceil_div(n, 16), ceil_div(m, 16)), (16, 16)>>>(a, b, c, m, n, k)
*/
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float left[16][16], right[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0.0f;
  for (int start = 0; start < k; start += 16) {
    left[ty][tx] = row < m && start + tx < k ? a[row * k + start + tx] : 0.0f;
    right[ty][tx] = start + ty < k && column < n ? b[(start + ty) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += left[ty][i] * right[i][tx];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
