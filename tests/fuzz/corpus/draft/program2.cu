template <typename T, int WIDTH>
__global__ void __launch_bounds__(WIDTH) scale(const T* __restrict__ x, T* y, int n, T a) {
  int i = blockIdx.x * WIDTH + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
void run(const double* x, double* y, int n) {
  scale<double, 128><<<(n - 1) / 128 + 1, 128>>>(x, y, n, 3.0);
}
