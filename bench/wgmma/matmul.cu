// SPDX-License-Identifier: Apache-2.0
// c = a * transpose(b) in bf16, the shape of a linear layer: what bench/wgmma measures its plan
// against. The kernel is the plainest use of the tensor cores: one warp for each 16 x 16 tile.
/* kernelpro
axis     M = 8192, N = 8192, K = 8192
check    M = 256, N = 512, K = 192
input    a : bf16[M, K] ~ normal
input    b : bf16[N, K] ~ normal
output   c : bf16[M, N]
precision bf16
work     flops = 2 * M * N * K, contraction
launch   matmul<<<(N / 64, M / 16), 128>>>(a, b, c, N, K)
oracle launch exact<<<(N / 16, M / 16), (16, 16)>>>(a, b, c, N, K)
*/
#include <cuda_bf16.h>
#include <mma.h>

extern "C" __global__ void matmul(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c,
                                  int N, int K) {
  using namespace nvcuda::wmma;
  __shared__ float tile[4][16][16];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = blockIdx.y * 16, column = (blockIdx.x * 4 + warp) * 16;
  fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major> left;
  fragment<matrix_b, 16, 16, 16, __nv_bfloat16, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int k = 0; k < K; k += 16) {
    load_matrix_sync(left, a + (size_t)row * K + k, K);
    load_matrix_sync(right, b + (size_t)column * K + k, K);
    mma_sync(sum, left, right, sum);
  }
  store_matrix_sync(&tile[warp][0][0], sum, 16, mem_row_major);
  __syncwarp();
  for (int i = lane; i < 256; i += 32)
    c[(size_t)(row + i / 16) * N + column + i % 16] = __float2bfloat16(tile[warp][i / 16][i % 16]);
}

extern "C" __global__ void exact(const double* a, const double* b, double* c, int N, int K) {
  __shared__ double left[16][17], right[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  double sum = 0;
  for (int k = 0; k < K; k += 16) {
    left[y][x] = a[(size_t)(row + y) * K + k + x];
    right[y][x] = b[(size_t)(column + y) * K + k + x];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += left[y][i] * right[x][i];
    __syncthreads();
  }
  c[(size_t)(row + y) * N + column + x] = sum;
}
