// SPDX-License-Identifier: Apache-2.0
/* kernelpro
launch half_sum<<<batch, 32>>>(x, y, width)
*/
#include <cuda_fp16.h>

extern "C" __global__ void half_sum(const __half* __restrict__ x, __half* __restrict__ y,
                                    int width) {
  const int count = width / 2;
  const __half* row = x + (long long)blockIdx.x * width;
  for (int i = threadIdx.x; i < count; i += 32)
    y[(long long)blockIdx.x * count + i] = __hadd(row[i], row[count + i]);
}
