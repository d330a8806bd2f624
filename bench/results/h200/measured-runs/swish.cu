// SPDX-License-Identifier: Apache-2.0
// Swish, one element per thread: every load and store of a warp is one contiguous run.
/* kernelpro
launch swish<<<ceil_div(n, 256 * 4), 256>>>(x, y, n)
*/
extern "C" __global__ void swish(const float* __restrict__ x, float* __restrict__ y, int n) {
  int i_first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i_first < n) {
    int i = i_first;
    if (i_first + 4 <= n &&
        reinterpret_cast<unsigned long long>(x + i) % 16 == 0 &&
        reinterpret_cast<unsigned long long>(y + i) % 16 == 0) {
      alignas(16) float x_lane[4];
      *reinterpret_cast<uint4*>(x_lane) = *reinterpret_cast<const uint4*>(x + i);
      alignas(16) float y_lane[4];
#pragma unroll
      for (int lane = 0; lane < 4; ++lane) {
        float v = x_lane[lane];
        y_lane[lane] = v / (1.0f + __expf(-v));
      }
      *reinterpret_cast<uint4*>(y + i) = *reinterpret_cast<const uint4*>(y_lane);
    } else {
      for (int i = i_first; i < n && i < i_first + 4; ++i) {
        float v = x[i];
        y[i] = v / (1.0f + __expf(-v));
      }
    }
  }
}
