// SPDX-License-Identifier: Apache-2.0
// Four bytes an access.
/* kernelpro
zero   counts
launch histogram<<<ceil_div(n, 1024), 256>>>(x, counts, n)
*/
extern "C" __global__ void histogram(const unsigned char* x, int* counts, int n) {
  int i = (blockIdx.x * 256 + threadIdx.x) * 4;
  if (i + 4 <= n) {
    const unsigned word = *reinterpret_cast<const unsigned*>(x + i);
    for (int k = 0; k < 4; ++k) atomicAdd(&counts[word >> 8 * k & 255], 1);
    return;
  }
  for (; i < n; ++i) atomicAdd(&counts[x[i]], 1);
}
