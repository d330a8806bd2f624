// SPDX-License-Identifier: Apache-2.0
// Squares of small matrices, which lie entry by entry in shared memory, rotated by their number.
/* kernelpro
axis   n = 1048576
check  n = 256
input  a : f32[n, 16] ~ uniform(-0.5, 0.5)
output b : f32[n, 16]
precision f32
work   flops = 224 * n
launch squares<<<n / 128, 128>>>(a, b)
*/
// The entries of 128 matrices of four by four; a thread squares one of them.
struct Shelf {
  float entries[16 * 128];
  __device__ float& of(int matrix, int entry) {
    return entries[entry * 128 + (matrix + entry * 2) % 128];
  }
};

extern "C" __global__ void squares(const float* a, float* b) {
  __shared__ Shelf shelf;
  const size_t base = (size_t)blockIdx.x * (16 * 128);
  for (int at = threadIdx.x; at < 16 * 128; at += 128) shelf.of(at / 16, at % 16) = a[base + at];
  __syncthreads();
  float m[16];
#pragma unroll
  for (int entry = 0; entry < 16; ++entry) m[entry] = shelf.of(threadIdx.x, entry);
  __syncthreads();
#pragma unroll
  for (int entry = 0; entry < 16; ++entry) {
    const int row = entry & ~3, col = entry & 3;
    shelf.of(threadIdx.x, entry) = m[row] * m[col] + m[row + 1] * m[col + 4] +
                                   m[row + 2] * m[col + 8] + m[row + 3] * m[col + 12];
  }
  __syncthreads();
  for (int at = threadIdx.x; at < 16 * 128; at += 128) b[base + at] = shelf.of(at / 16, at % 16);
}
