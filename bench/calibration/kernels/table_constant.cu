// SPDX-License-Identifier: Apache-2.0
// Look-ups in constant memory that differ by lane.
/* kernelpro
axis   n = 2097152
check  n = 16384
input  index : u8[n]
output y : f32[n]
launch table_constant<<<n / 256, 256>>>(index, y)
*/
__constant__ float table[64] = {1, 2, 3, 4, 5, 6, 7, 8};

extern "C" __global__ void table_constant(const unsigned char* index, float* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = table[index[i] % 64];
}
