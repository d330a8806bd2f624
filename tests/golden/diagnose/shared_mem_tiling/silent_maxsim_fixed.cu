// SPDX-License-Identifier: Apache-2.0
// The same scores: both operands in shared memory, four query tokens by eight document tokens in
// each thread.
/* kernelpro
axis   documents = 1024, length = 128, query = 32, dim = 64
check  documents = 5, length = 128, query = 32, dim = 64
input  q : f32[query, dim] ~ normal
input  d : f32[documents, length, dim] ~ normal
output score : f32[documents]
precision f32
work   flops = 2 * documents * length * query * dim, contraction
launch maxsim<<<documents, 128>>>(q, d, score)
*/
extern "C" __global__ void __launch_bounds__(128)
    maxsim(const float* __restrict__ q, const float* __restrict__ d, float* __restrict__ score) {
  __shared__ float qs[32][36], ds[32][132], best[16][32], parts[32];
  const int id = threadIdx.x, first = id % 8 * 4, token = id / 8 * 8;
  const float* tokens = d + (long long)blockIdx.x * 128 * 64;
  float dot[4][8] = {};
  for (int start = 0; start < 64; start += 32) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i)
      qs[id % 32][id / 32 + 4 * i] = q[(id / 32 + 4 * i) * 64 + start + id % 32];
#pragma unroll
    for (int i = 0; i < 32; ++i)
      ds[id % 32][id / 32 + 4 * i] = tokens[(id / 32 + 4 * i) * 64 + start + id % 32];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 32; ++k) {
      const float4 x = *reinterpret_cast<const float4*>(&qs[k][first]);
      const float4 y = *reinterpret_cast<const float4*>(&ds[k][token]);
      const float4 z = *reinterpret_cast<const float4*>(&ds[k][token + 4]);
      const float xs[4] = {x.x, x.y, x.z, x.w};
      const float ys[8] = {y.x, y.y, y.z, y.w, z.x, z.y, z.z, z.w};
#pragma unroll
      for (int r = 0; r < 4; ++r) {
#pragma unroll
        for (int s = 0; s < 8; ++s) dot[r][s] += xs[r] * ys[s];
      }
    }
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    float most = dot[r][0];
#pragma unroll
    for (int s = 1; s < 8; ++s) most = fmaxf(most, dot[r][s]);
    best[id / 8][first + r] = most;
  }
  __syncthreads();
  if (id < 32) {
    float most = best[0][id];
    for (int i = 1; i < 16; ++i) most = fmaxf(most, best[i][id]);
    for (int step = 16; step > 0; step /= 2) most += __shfl_xor_sync(~0u, most, step);
    if (id == 0) score[blockIdx.x] = most;
  }
}
