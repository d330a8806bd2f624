// SPDX-License-Identifier: Apache-2.0
// A product of halves by ldmatrix, mma.sync and cp.async with two buffers.
/* kernelpro
axis   m = 2048, n = 2048, k = 1024
check  m = 256, n = 256, k = 256
input  a : f16[m, k]
input  b : f16[n, k]
output c : f32[m, n]
launch matmul_ldmatrix<<<(n / 128, m / 64), 128>>>(a, b, c, m, n, k)
*/
#include <cuda_fp16.h>

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ void fetch(__half (*to)[40], const __half* from, int rows, int k) {
  for (int i = threadIdx.x; i < rows * 4; i += 128)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&to[i / 4][i % 4 * 8])),
                 "l"(from + (i / 4) * k + i % 4 * 8));
}

extern "C" __global__ void matmul_ldmatrix(const __half* a, const __half* b, float* c, int m, int n, int k) {
  __shared__ __half ta[2][64][40], tb[2][128][40];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int row = blockIdx.y * 64, col = blockIdx.x * 128;
  int wr = warp / 2 * 32, wc = warp % 2 * 64;
  float acc[2][8][4] = {};
  fetch(ta[0], a + row * k, 64, k);
  fetch(tb[0], b + col * k, 128, k);
  asm volatile("cp.async.commit_group;");
  for (int step = 0, now = 0; step < k; step += 32, now ^= 1) {
    if (step + 32 < k) {
      fetch(ta[now ^ 1], a + row * k + step + 32, 64, k);
      fetch(tb[now ^ 1], b + col * k + step + 32, 128, k);
    }
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 1;");
    __syncthreads();
    for (int s = 0; s < 32; s += 16) {
      unsigned fa[2][4], fb[8][2];
      for (int i = 0; i < 2; ++i)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                     : "r"(shared_address(&ta[now][wr + i * 16 + lane % 16][s + lane / 16 * 8])));
      for (int j = 0; j < 8; j += 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fb[j][0]), "=r"(fb[j][1]), "=r"(fb[j + 1][0]), "=r"(fb[j + 1][1])
                     : "r"(shared_address(&tb[now][wc + j * 8 + lane / 16 * 8 + lane % 8][s + lane / 8 % 2 * 8])));
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 8; ++j)
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                       : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
                       : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]), "r"(fb[j][1]));
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 8; ++j) {
      float* to = c + (row + wr + i * 16 + lane / 4) * n + col + wc + j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(to) = make_float2(acc[i][j][0], acc[i][j][1]);
      *reinterpret_cast<float2*>(to + 8 * n) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
}
