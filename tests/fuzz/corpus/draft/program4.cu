__global__ void square(const float* x, float* t, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) t[i] = x[i] * x[i];
}
__global__ void half_of(const float* t, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f * t[i];
}
void run(float* x, float* tmp, float* y, int n) {
  square<<<(n + 127) / 128, 128>>>(x, tmp, n);
  half_of<<<(n + 127) / 128, 128>>>(tmp, y, n);
}
