// SPDX-License-Identifier: Apache-2.0
// Matrix product, one thread per element of the result.
/* kernelpro
launch matmul<<<(ceil_div(N, 16), ceil_div(N, 16)), (16, 16)>>>(A, B, out, N)
*/
extern "C" __global__ void matmul(const float* A, const float* B, float* out, int N) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < N && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * N + col];
    out[row * N + col] = sum;
  }
}
