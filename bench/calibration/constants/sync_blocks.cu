// SPDX-License-Identifier: Apache-2.0
// 256 barriers of 8 warps, eight blocks an SM.
/* kernelpro
axis   n = 1056
check  n = 1056
output y : i32[n, 256]
launch sync_blocks<<<n, 256>>>(y)
*/
extern "C" __global__ void sync_blocks(int* y) {
  int v = threadIdx.x;
  for (int r = 0; r < 256; ++r) {
    __syncthreads();
    v = v * 3 + 1;
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
