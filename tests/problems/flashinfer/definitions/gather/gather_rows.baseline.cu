// SPDX-License-Identifier: Apache-2.0
/* kernelpro
launch gather<<<ceil_div(rows * width, 64), 64>>>(table, index, scale, chosen, rows * width, width)
*/
extern "C" __global__ void gather(const float* __restrict__ table, const int* __restrict__ index,
                                  float scale, float* __restrict__ chosen, int count, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) chosen[i] = table[index[i / width] * width + i % width] * scale;
}
