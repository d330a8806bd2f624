// SPDX-License-Identifier: Apache-2.0
// 64 rounds of a hash; the remainder of each comes from a division.
/* kernelpro
axis   n = 8388608
check  n = 4096
input  seed : i32[n] ~ int(0, 65000)
input  modulus : i32 = 40009
output hash : i32[n]
work   flops = 0, bytes = 8 * n
launch mix<<<n / 256, 256>>>(seed, modulus, hash)
*/
extern "C" __global__ void mix(const int* seed, int modulus, int* hash) {
  const unsigned m = modulus;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = seed[i] % m;
  for (unsigned round = 1; round <= 64; ++round) state = (state * 40503u + round) % m;
  hash[i] = state;
}
