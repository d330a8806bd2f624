// SPDX-License-Identifier: Apache-2.0
// Brighter bytes, saturated. A thread for sixteen bytes.
/* kernelpro
axis   n = 67108864
check  n = 4096
input  x : u8[n]
output y : u8[n]
work   flops = 0, bytes = 2 * n
launch brighten<<<n / 4096, 256>>>(x, y)
*/
extern "C" __global__ void brighten(const unsigned char* __restrict__ x,
                                    unsigned char* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  uint4 part = reinterpret_cast<const uint4*>(x)[i];
  part.x = __vaddus4(part.x, 0x14141414);
  part.y = __vaddus4(part.y, 0x14141414);
  part.z = __vaddus4(part.z, 0x14141414);
  part.w = __vaddus4(part.w, 0x14141414);
  reinterpret_cast<uint4*>(y)[i] = part;
}
