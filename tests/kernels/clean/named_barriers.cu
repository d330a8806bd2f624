// SPDX-License-Identifier: Apache-2.0
// Half of the block produces tiles, the other half consumes them, by named barriers.
/* kernelpro
launch reverse<<<rows, 128>>>(x, y, cols)
*/
extern "C" __global__ void reverse(const float* x, float* y, int cols) {
  const float* in = x + (size_t)blockIdx.x * cols;
  float* out = y + (size_t)blockIdx.x * cols;
  __shared__ float tile[64];
  int i = threadIdx.x % 64;
  for (int start = 0; start < cols; start += 64) {
    int c = start + i;
    if (threadIdx.x < 64) {
      if (start > 0) asm volatile("bar.sync 2, 128;" ::: "memory");
      tile[i] = c < cols ? 2 * in[c] : 0;
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      if (c < cols) out[cols - 1 - c] = tile[i];
      if (start + 64 < cols) asm volatile("bar.arrive 2, 128;" ::: "memory");
    }
  }
}
