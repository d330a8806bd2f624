// SPDX-License-Identifier: Apache-2.0
// Matrix times a number, one element per thread.
/* kernelpro
launch scale<<<ceil_div(M * N, 256), 256>>>(A, s, out, M, N)
*/
extern "C" __global__ void scale(const float* A, float s, float* out, int M, int N) {
  long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (long long)M * N) out[i] = A[i] * s;
}
