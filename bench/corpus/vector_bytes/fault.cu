// SPDX-License-Identifier: Apache-2.0
// Brighter bytes, saturated. A thread for each byte.
/* kernelpro
axis   n = 67108864
check  n = 4096
input  x : u8[n]
output y : u8[n]
work   flops = 0, bytes = 2 * n
launch brighten<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void brighten(const unsigned char* __restrict__ x,
                                    unsigned char* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = min(x[i] + 20, 255);
}
