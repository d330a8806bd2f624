// SPDX-License-Identifier: Apache-2.0
// 256 barriers of 2 warps, one block an SM.
/* kernelpro
axis   n = 132
check  n = 132
output y : i32[n, 64]
launch sync_2<<<n, 64>>>(y)
*/
extern "C" __global__ void sync_2(int* y) {
  int v = threadIdx.x;
  for (int r = 0; r < 256; ++r) {
    __syncthreads();
    v = v * 3 + 1;
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
