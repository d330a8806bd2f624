/* kernelpro
axis   n = 4096
input  x : f32[n] ~ normal
output y : f32[n]
work   flops = n
launch twice<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i;
}
