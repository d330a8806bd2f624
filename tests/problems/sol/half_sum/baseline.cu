// SPDX-License-Identifier: Apache-2.0
/* kernelpro
launch half_sum<<<batch, 32>>>(x, y, width, half)
*/
#include <cuda_fp16.h>

extern "C" __global__ void half_sum(const __half* __restrict__ x, __half* __restrict__ y,
                                    int width, int half) {
  const __half* row = x + (long long)blockIdx.x * width;
  for (int i = threadIdx.x; i < half; i += 32)
    y[(long long)blockIdx.x * half + i] = __hadd(row[i], row[half + i]);
}
