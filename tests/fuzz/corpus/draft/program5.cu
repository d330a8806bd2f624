__global__ void gather(const float* table, const int* which, float* out, int n, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[which[i]];
}
void run(float* table, int* which, float* out) {
  const int n = 1000, size = 300;
  cudaMalloc(&table, size * sizeof(float));
  gather<<<(n + 255) / 256, 256>>>(table, which, out, n, size);
}
