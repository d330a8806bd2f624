__global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1u);
}
void run(unsigned char* x, unsigned* d_bins, int n) {
  cudaMalloc(&d_bins, 256 * sizeof(unsigned));
  cudaMemset(d_bins, 0, 256 * sizeof(unsigned));
  histogram<<<(n + 255) / 256, 256>>>(x, d_bins, n);
}
