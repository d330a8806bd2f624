// SPDX-License-Identifier: Apache-2.0
// 256 barriers of 32 warps, one block an SM.
/* kernelpro
axis   n = 132
check  n = 132
output y : i32[n, 1024]
launch sync_32<<<n, 1024>>>(y)
*/
extern "C" __global__ void sync_32(int* y) {
  int v = threadIdx.x;
  for (int r = 0; r < 256; ++r) {
    __syncthreads();
    v = v * 3 + 1;
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
