// SPDX-License-Identifier: Apache-2.0
// Inclusive scans of blocks of 1024, doubling in shared memory.
/* kernelpro
axis   n = 4194304
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch scan_shared<<<n / 1024, 1024>>>(x, y)
*/
extern "C" __global__ void scan_shared(const float* x, float* y) {
  __shared__ float v[2][1024];
  int i = blockIdx.x * 1024 + threadIdx.x, from = 0;
  v[0][threadIdx.x] = x[i];
  __syncthreads();
  for (int step = 1; step < 1024; step *= 2) {
    float value = v[from][threadIdx.x];
    if (threadIdx.x >= step) value += v[from][threadIdx.x - step];
    v[1 - from][threadIdx.x] = value;
    from = 1 - from;
    __syncthreads();
  }
  y[i] = v[from][threadIdx.x];
}
