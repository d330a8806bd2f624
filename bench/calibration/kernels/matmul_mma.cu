// SPDX-License-Identifier: Apache-2.0
// A product of halves by mma.sync, tiles of 64 x 64 in shared memory.
/* kernelpro
axis   m = 2048, n = 2048, k = 1024
check  m = 256, n = 256, k = 256
input  a : f16[m, k]
input  b : f16[n, k]
output c : f32[m, n]
launch matmul_mma<<<(n / 64, m / 64), 128>>>(a, b, c, m, n, k)
*/
#include <cuda_fp16.h>

extern "C" __global__ void matmul_mma(const __half* a, const __half* b, float* c, int m, int n, int k) {
  __shared__ __half ta[64][40], tb[64][40];
  int t = threadIdx.x, lane = t % 32, warp = t / 32, g = lane / 4, q = lane % 4;
  int row = blockIdx.y * 64, col = blockIdx.x * 64;
  float acc[8][4] = {};
  for (int step = 0; step < k; step += 32) {
    for (int i = t; i < 256; i += 128) {
      *reinterpret_cast<uint4*>(&ta[i / 4][i % 4 * 8]) = *reinterpret_cast<const uint4*>(&a[(row + i / 4) * k + step + i % 4 * 8]);
      *reinterpret_cast<uint4*>(&tb[i / 4][i % 4 * 8]) = *reinterpret_cast<const uint4*>(&b[(col + i / 4) * k + step + i % 4 * 8]);
    }
    __syncthreads();
    for (int s = 0; s < 32; s += 16) {
      unsigned fa[4];
      fa[0] = *reinterpret_cast<unsigned*>(&ta[warp * 16 + g][s + q * 2]);
      fa[1] = *reinterpret_cast<unsigned*>(&ta[warp * 16 + g + 8][s + q * 2]);
      fa[2] = *reinterpret_cast<unsigned*>(&ta[warp * 16 + g][s + q * 2 + 8]);
      fa[3] = *reinterpret_cast<unsigned*>(&ta[warp * 16 + g + 8][s + q * 2 + 8]);
      for (int j = 0; j < 8; ++j) {
        unsigned b0 = *reinterpret_cast<unsigned*>(&tb[j * 8 + g][s + q * 2]);
        unsigned b1 = *reinterpret_cast<unsigned*>(&tb[j * 8 + g][s + q * 2 + 8]);
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                     : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(b0), "r"(b1));
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j) {
    float* to = c + (row + warp * 16 + g) * n + col + j * 8 + q * 2;
    *reinterpret_cast<float2*>(to) = make_float2(acc[j][0], acc[j][1]);
    *reinterpret_cast<float2*>(to + 8 * n) = make_float2(acc[j][2], acc[j][3]);
  }
}
