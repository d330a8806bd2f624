#include <cstdio>
#include <vector>
#define CHECK(call) do { if ((call) != cudaSuccess) exit(1); } while (0)
constexpr float kScale = 2.5f;

__device__ float twice(float x) { return 2 * x; }

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = twice(a * x[i]) + kScale;
}

int main() {
  const int count = 1 << 20;
  const int threads = 256;
  size_t bytes = count * sizeof(float);
  std::vector<float> h(count);
  float *d_x, *d_y;
  CHECK(cudaMalloc(&d_x, bytes));
  CHECK(cudaMalloc((void**)&d_y, bytes));
  cudaMemcpy(d_x, h.data(), bytes, cudaMemcpyHostToDevice);
  saxpy<<<(count + threads - 1) / threads, threads>>>(count, 1.5f, d_x, d_y);
  cudaMemcpy(h.data(), d_y, bytes, cudaMemcpyDeviceToHost);
  return 0;
}

