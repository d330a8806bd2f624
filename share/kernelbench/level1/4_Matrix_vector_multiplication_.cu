// SPDX-License-Identifier: Apache-2.0
// Matrix times vector, one block per row.
/* kernelpro
launch matvec<<<M, 256>>>(A, B, out, K)
*/
extern "C" __global__ void matvec(const float* A, const float* B, float* out, int K) {
  __shared__ float part[256];
  float sum = 0.0f;
  for (int k = threadIdx.x; k < K; k += blockDim.x) sum += A[(long long)blockIdx.x * K + k] * B[k];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
