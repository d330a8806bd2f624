__global__ void transpose(float* out, const float* in, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
}
void run(float* d_out, float* d_in, int rows, int cols) {
  dim3 block(32, 8);
  dim3 grid((cols + block.x - 1) / block.x, (rows + 7) / 8);
  dim3 tiles((cols + 31) / 32, (rows + 7) / 8);
  transpose<<<tiles, block>>>(d_out, d_in, rows, cols);
}
