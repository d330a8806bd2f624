// SPDX-License-Identifier: Apache-2.0
// A bitonic sort of 512 values in shared memory.
/* kernelpro
axis   n = 1048576
check  n = 16384
input  x : f32[n]
output y : f32[n]
launch bitonic<<<n / 512, 512>>>(x, y)
*/
extern "C" __global__ void bitonic(const float* x, float* y) {
  __shared__ float v[512];
  int t = threadIdx.x;
  v[t] = x[blockIdx.x * 512 + t];
  __syncthreads();
  for (int size = 2; size <= 512; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      int other = t ^ step;
      if (other > t) {
        float a = v[t], b = v[other];
        if ((a > b) == ((t & size) == 0)) {
          v[t] = b;
          v[other] = a;
        }
      }
      __syncthreads();
    }
  y[blockIdx.x * 512 + t] = v[t];
}
