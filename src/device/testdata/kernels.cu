// SPDX-License-Identifier: Apache-2.0
// Kernels whose counts and times are known by heart: see vgpu_test.cc and bench/vgpu_bench.cc.
// kernels.ptx: nvcc -arch=sm_90 -lineinfo -ptx kernels.cu

extern "C" __global__ void scale(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}

extern "C" __global__ void scale4(const float4* x, float4* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  y[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
}

template <int PITCH>
__device__ void transpose(const float* x, float* y, int n) {
  __shared__ float tile[32][PITCH];
  int column = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = x[(row + i) * n + column];
  __syncthreads();
  column = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int i = 0; i < 32; i += 8) y[(row + i) * n + column] = tile[threadIdx.x][threadIdx.y + i];
}
extern "C" __global__ void transpose32(const float* x, float* y, int n) { transpose<32>(x, y, n); }
extern "C" __global__ void transpose33(const float* x, float* y, int n) { transpose<33>(x, y, n); }

extern "C" __global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float left[16][16], right[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void spin(volatile int* flag) {
  while (*flag == 0) {
  }
}

extern "C" __global__ void dynamic(float* y) {
  extern __shared__ float buffer[];
  buffer[threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}
