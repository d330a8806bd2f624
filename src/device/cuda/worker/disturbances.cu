// SPDX-License-Identifier: Apache-2.0
// What runs before and beside a candidate's kernels, so that nothing is as the last launch left it:
// behind kernels.cu in one module, whose functions it uses.

// Words of a local frame: with all threads of an SM, more than any cache of an SM holds.
constexpr unsigned kFrameWords = 128;

/// A step of SplitMix64, of which the upper half is well mixed.
__device__ __forceinline__ unsigned mixed(unsigned long long value) {
  value += 0x9E3779B97F4A7C15ull;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return static_cast<unsigned>(value >> 32);
}

// A random pattern over the shared memory of an SM. Launched with all that a block can have, so
// that two blocks never share an SM.
extern "C" __global__ void __launch_bounds__(1024, 1)
    kp_fill_shared(unsigned words, unsigned long long seed) {
  extern __shared__ unsigned shared[];
  volatile unsigned* pattern = shared;
  const unsigned long long own = seed + (static_cast<unsigned long long>(blockIdx.x) << 32);
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) pattern[i] = mixed(own + i);
}

// The same over the local frames of all threads that an SM holds.
extern "C" __global__ void __launch_bounds__(1024, 2) kp_fill_local(unsigned long long seed) {
  volatile unsigned frame[kFrameWords];
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned own = mixed(seed + thread);
#pragma unroll 1
  for (unsigned i = 0; i < kFrameWords; ++i) frame[i] = own ^ (i * 0x9E3779B9u);
}

// Keeps some SMs from everybody else: launched with all the shared memory that a block can have,
// as many blocks as SMs, one thread each. A block stays when the dice of its SM fall below `share`
// of 256; until `*release` reaches `ticket`, and never longer than a part of `limit` ns by the same
// dice. `*begun` becomes `ticket` when the last block starts.
extern "C" __global__ void kp_occupy(unsigned long long seed, unsigned share,
                                     unsigned long long limit, const volatile unsigned* release,
                                     volatile unsigned* begun, unsigned ticket) {
  const unsigned long long start = now();
  unsigned sm;
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  if (blockIdx.x == gridDim.x - 1) *begun = ticket;
  const unsigned dice = mixed(seed + sm);
  if ((dice & 255) >= share) return;
  const unsigned long long own = limit * (((dice >> 8) & 255) + 1) / 256;
  while (now() - start < own && static_cast<int>(*release - ticket) < 0) __nanosleep(200);
}
