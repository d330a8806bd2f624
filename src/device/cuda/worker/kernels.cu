// SPDX-License-Identifier: Apache-2.0
// The instruments of kernelpro-gpu: kernels that run beside the ones that are measured.

struct Tick {
  unsigned long long nanoseconds, cycles, slack;
};

__device__ __forceinline__ unsigned long long now() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(nanoseconds)::"memory");
  return nanoseconds;
}

// Holds the stream until `*release` reaches `ticket`, so that what follows is enqueued before it
// runs. The limit ends it should nobody release it.
extern "C" __global__ void kp_hold(const volatile unsigned* release, unsigned ticket,
                                   volatile unsigned* expired, unsigned long long limit) {
  const unsigned long long start = now();
  while (static_cast<int>(*release - ticket) < 0) {
    if (now() - start < limit) continue;
    *expired = ticket;
    return;
  }
}

// Replaces what L2 holds by lines of this buffer, all of them written.
extern "C" __global__ void kp_scrub(uint4* lines, unsigned long long count, unsigned salt) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    uint4 line = lines[i];
    line.x += salt;
    line.y ^= line.x;
    lines[i] = line;
  }
}

// Reads it all, so that the written lines go to memory now and not while a kernel is measured. What
// is read has to reach `sink` in the eyes of the compiler.
extern "C" __global__ void kp_sweep(const uint4* lines, unsigned long long count, uint4* sink,
                                    unsigned never) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  uint4 sum = {0, 0, 0, 0};
  for (unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 line = lines[i];
    sum.x ^= line.x;
    sum.y ^= line.y;
    sum.z ^= line.z;
    sum.w ^= line.w;
  }
  if (never != 0) sink[threadIdx.x] = sum;
}

// The time and the cycle counter of each SM, taken together when the time, which moves in steps,
// moves: no earlier than `span` after that SM's tick in `since`, where it has one. `slack` cycles
// before, the time had not moved yet. One thread a block, as many blocks as SMs.
extern "C" __global__ void kp_tick(volatile Tick* ticks, unsigned count, const volatile Tick* since,
                                   unsigned long long span, volatile unsigned* reached,
                                   unsigned mark) {
  unsigned sm;
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  const unsigned long long begin = since != nullptr && sm < count ? since[sm].nanoseconds : 0;
  const unsigned long long end = begin != 0 ? begin + span : 0;
  unsigned long long before = clock64(), time = now(), cycles = before, slack = 0;
  // The first edge only fetches the instructions: L2 has just been flushed.
  for (int edges = 0; edges < 2 || time < end; ++edges) {
    const unsigned long long last = time;
    unsigned long long earlier;
    do {
      earlier = before;
      before = clock64();
      time = now();
    } while (time == last);
    cycles = clock64();
    slack = cycles - earlier;
  }
  if (sm < count) {
    ticks[sm].nanoseconds = time;
    ticks[sm].cycles = cycles;
    ticks[sm].slack = slack;
  }
  if (blockIdx.x == 0) *reached = mark;
}

// A known amount of integer arithmetic with a known result (probe_answer.h).
extern "C" __global__ void kp_probe(unsigned long long* sum, unsigned rounds) {
  unsigned value = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u;
  atomicAdd(sum, static_cast<unsigned long long>(value));
}
