// SPDX-License-Identifier: Apache-2.0
// Matrix product in double, tiles of 16 x 16 through shared memory.
/* kernelpro
launch exact<<<(ceil_div(n, 16), ceil_div(m, 16)), (16, 16)>>>(a, b, c, m, n, k)
*/
extern "C" __global__ void exact(const double* a, const double* b, double* c, int m, int n, int k) {
  __shared__ double left[16][16], right[16][16];
  const long long row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  double sum = 0;
  for (int start = 0; start < k; start += 16) {
    const int across = start + threadIdx.x, down = start + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && across < k ? a[row * k + across] : 0;
    right[threadIdx.y][threadIdx.x] = col < n && down < k ? b[(long long)down * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
