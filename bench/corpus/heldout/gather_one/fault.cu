// SPDX-License-Identifier: Apache-2.0
// Readers visit pages; a page is asked for when the one before has come.
/* kernelpro
axis   pages = 2097152, readers = 67584, visits = 64
check  pages = 1000, readers = 512, visits = 16
input  order : i32[visits, readers] ~ int(0, pages - 1)
input  page : f32[pages, 8] ~ normal
output total : f32[readers]
precision f32
work   flops = visits * readers, bytes = 4 * visits * readers + 32 * pages + 4 * readers
launch visit<<<readers / 256, 256>>>(order, page, total, readers, visits)
*/
extern "C" __global__ void visit(const int* order, const float* page, float* total, int readers,
                                 int visits) {
  const int reader = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.f;
#pragma unroll 1
  for (int k = 0; k < visits; ++k) {
    const int next = order[(size_t)k * readers + reader];
    sum += page[(size_t)next * 8];
  }
  total[reader] = sum;
}
