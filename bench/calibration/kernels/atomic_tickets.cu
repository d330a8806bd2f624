// SPDX-License-Identifier: Apache-2.0
// Atomics that return, on counters spread by data.
/* kernelpro
axis   n = 1048576, m = 65536
check  n = 16384, m = 65536
input  key : i32[n] ~ int(0, m - 1)
inout  counter : u32[m] ~ int(0, 0)
output ticket : u32[n]
launch atomic_tickets<<<n / 256, 256>>>(key, counter, ticket)
*/
extern "C" __global__ void atomic_tickets(const int* key, unsigned* counter, unsigned* ticket) {
  int i = blockIdx.x * 256 + threadIdx.x;
  ticket[i] = atomicAdd(&counter[key[i]], 1u);
}
