// SPDX-License-Identifier: Apache-2.0
// A product of halves by wmma, operands straight from global memory.
/* kernelpro
axis   m = 1024, n = 1024, k = 512
check  m = 256, n = 256, k = 256
input  a : f16[m, k]
input  b : f16[k, n]
output c : f32[m, n]
launch matmul_wmma<<<(n / 64, m / 16), 128>>>(a, b, c, m, n, k)
*/
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void matmul_wmma(const __half* a, const __half* b, float* c, int m, int n, int k) {
  int row = blockIdx.y * 16, col = blockIdx.x * 64 + threadIdx.x / 32 * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int step = 0; step < k; step += 16) {
    wmma::load_matrix_sync(fa, a + row * k + step, k);
    wmma::load_matrix_sync(fb, b + step * n + col, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}
