// SPDX-License-Identifier: Apache-2.0
// Groups of 32 keys in order; the whole block meets after each exchange.
/* kernelpro
axis   n = 16777216
check  n = 2048
input  key : i32[n] ~ int(0, 1000000)
output sorted : i32[n]
work   flops = 0, bytes = 8 * n
launch sort<<<n / 1024, 1024>>>(key, sorted)
*/
// Every 32 neighbours are brought into order by a bitonic network over shared memory.
extern "C" __global__ void sort(const int* key, int* sorted) {
  __shared__ int keys[1024];
  const int me = threadIdx.x, lane = me % 32;
  keys[me] = key[blockIdx.x * 1024 + me];
  for (int run = 2; run <= 32; run *= 2) {
    for (int reach = run / 2; reach > 0; reach /= 2) {
      __syncthreads();
      const int mine = keys[me], other = keys[me ^ reach];
      __syncthreads();
      const bool lower = (lane & reach) == 0, rising = (lane & run) == 0;
      keys[me] = lower == rising ? min(mine, other) : max(mine, other);
    }
  }
  sorted[blockIdx.x * 1024 + me] = keys[me];
}
