// SPDX-License-Identifier: Apache-2.0
// A polynomial in double.
/* kernelpro
axis   n = 1048576
check  n = 16384
input  x : f64[n]
output y : f64[n]
launch fp64_poly<<<n / 256, 256>>>(x, y)
*/
extern "C" __global__ void fp64_poly(const double* x, double* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = x[i];
  double s = 1.0;
  for (int r = 0; r < 32; ++r) s = s * v + 0.25;
  y[i] = s;
}
