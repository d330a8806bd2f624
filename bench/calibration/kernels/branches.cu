// SPDX-License-Identifier: Apache-2.0
// Four branches by data, each with its own arithmetic.
/* kernelpro
axis   n = 2097152
check  n = 16384
input  x : f32[n]
input  which : i32[n] ~ int(0, 3)
output y : f32[n]
launch branches<<<n / 256, 256>>>(x, which, y)
*/
extern "C" __global__ void branches(const float* x, const int* which, float* y) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float v = x[i];
  switch (which[i]) {
    case 0:
      for (int r = 0; r < 20; ++r) v = v * v - 0.5f;
      break;
    case 1:
      for (int r = 0; r < 20; ++r) v = v * 0.5f + 3.0f / (v * v + 1.0f);
      break;
    case 2:
      for (int r = 0; r < 20; ++r) v = fabsf(v) - 0.25f * v;
      break;
    default:
      for (int r = 0; r < 20; ++r) v = __expf(-v);
  }
  y[i] = v;
}
