// SPDX-License-Identifier: Apache-2.0
// 64 rounds of a hash; the remainder of each comes from a product with the reciprocal.
/* kernelpro
axis   n = 8388608
check  n = 4096
input  seed : i32[n] ~ int(0, 65000)
input  modulus : i32 = 40009
output hash : i32[n]
work   flops = 0, bytes = 8 * n
launch mix<<<n / 256, 256>>>(seed, modulus, hash)
*/
// Of numbers below 2^32 by one below 2^16; the estimate of the quotient is at most one too small.
__device__ unsigned remainder(unsigned number, unsigned m, unsigned reciprocal) {
  const unsigned rest = number - __umulhi(number, reciprocal) * m;
  return rest >= m ? rest - m : rest;
}
extern "C" __global__ void mix(const int* seed, int modulus, int* hash) {
  const unsigned m = modulus, reciprocal = 0xffffffffu / m;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = remainder(seed[i], m, reciprocal);
  for (unsigned round = 1; round <= 64; ++round)
    state = remainder(state * 40503u + round, m, reciprocal);
  hash[i] = state;
}
