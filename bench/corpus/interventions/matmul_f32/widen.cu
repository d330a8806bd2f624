// SPDX-License-Identifier: Apache-2.0
// Four columns a thread, in one access where columns allow it.
/* kernelpro
launch matmul<<<(ceil_div(n, 64), ceil_div(m, 16)), (16, 16)>>>(a, b, c, m, n, k)
*/
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (row >= m || col >= n) return;
  if (n % 4 == 0) {
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int i = 0; i < k; ++i) {
      const float left = a[row * k + i];
      const float4 right = *reinterpret_cast<const float4*>(b + i * n + col);
      sum.x += left * right.x;
      sum.y += left * right.y;
      sum.z += left * right.z;
      sum.w += left * right.w;
    }
    *reinterpret_cast<float4*>(c + row * n + col) = sum;
    return;
  }
  for (int last = min(col + 4, n); col < last; ++col) {
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
  }
}
