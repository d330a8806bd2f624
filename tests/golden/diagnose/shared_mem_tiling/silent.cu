// SPDX-License-Identifier: Apache-2.0
// The same product in tiles of 128 x 128 through shared memory, 8 x 8 outputs a thread.
/* kernelpro
axis   m = 2048, n = 2048, k = 1024
check  m = 67, n = 35, k = 131
input  a : f32[m, k] ~ normal
input  b : f32[k, n] ~ normal
output c : f32[m, n]
precision f32
work   flops = 2 * m * n * k, contraction
launch matmul<<<(ceil_div(n, 128), ceil_div(m, 128)), 256>>>(a, b, c, m, n, k)
*/
extern "C" __global__ void __launch_bounds__(256)
    matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
           int n, int k) {
  __shared__ float rows[8][132], columns[8][128];
  const int id = threadIdx.x, top = blockIdx.y * 128, left = blockIdx.x * 128;
  const int ty = id / 16 * 4, tx = id % 16 * 4;
  const int row = top + id / 8, deep = id % 8, down = id / 128, column = left + id % 128;
  float sum[8][8] = {};
  for (int start = 0; start < k; start += 8) {
    float p[4], q[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      p[i] = row + 32 * i < m && start + deep < k ? a[(row + 32 * i) * k + start + deep] : 0.0f;
      q[i] = start + down + 2 * i < k && column < n ? b[(start + down + 2 * i) * n + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      rows[deep][id / 8 + 32 * i] = p[i];
      columns[down + 2 * i][id % 128] = q[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float x[8], y[8];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float4 u = *reinterpret_cast<const float4*>(&rows[i][ty + 64 * half]);
        const float4 v = *reinterpret_cast<const float4*>(&columns[i][tx + 64 * half]);
        x[4 * half] = u.x, x[4 * half + 1] = u.y, x[4 * half + 2] = u.z, x[4 * half + 3] = u.w;
        y[4 * half] = v.x, y[4 * half + 1] = v.y, y[4 * half + 2] = v.z, y[4 * half + 3] = v.w;
      }
#pragma unroll
      for (int r = 0; r < 8; ++r) {
#pragma unroll
        for (int s = 0; s < 8; ++s) sum[r][s] += x[r] * y[s];
      }
    }
  }
#pragma unroll
  for (int r = 0; r < 8; ++r) {
#pragma unroll
    for (int s = 0; s < 8; ++s) {
      const int y = top + ty + r % 4 + r / 4 * 64, x = left + tx + s % 4 + s / 4 * 64;
      if (y < m && x < n) c[y * n + x] = sum[r][s];
    }
  }
}
