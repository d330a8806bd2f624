// SPDX-License-Identifier: Apache-2.0
// Lanes look up different entries of a table in constant memory, which answers one at a time.
// `table_to_shared` mends it.
/* kernelpro
axis   count = 4194304
check  count = 1000
input  code : u8[count]
output y : f32[count]
work   flops = count
launch decode<<<ceil_div(count, 2048), 256>>>(code, y, count)
oracle launch expected<<<ceil_div(count, 2048), 256>>>(code, y, count)
*/
__constant__ float codebook[16] = {-1.0f,   -0.6962f, -0.5251f, -0.3949f, -0.2844f, -0.1848f,
                                   -0.091f, 0.0f,     0.0796f,  0.1609f,  0.2461f,  0.3379f,
                                   0.4407f, 0.5626f,  0.723f,   1.0f};

extern "C" __global__ void decode(const unsigned char* code, float* y, int count) {
  for (int k = 0; k < 8; ++k) {
    int i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
    if (i < count) y[i] = codebook[code[i] & 15] * codebook[code[i] >> 4];
  }
}

extern "C" __global__ void expected(const unsigned char* code, double* y, int count) {
  for (int k = 0; k < 8; ++k) {
    int i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
    if (i < count) y[i] = (double)codebook[code[i] & 15] * codebook[code[i] >> 4];
  }
}
