// SPDX-License-Identifier: Apache-2.0
// What the pretended driver remembers between calls. Time is its own: work takes what it says,
// whatever the machine does.
#pragma once
#include <cuda.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fake {

inline constexpr int kSmCount = 4;
inline constexpr std::uint64_t kMemoryBytes = 1ull << 30;
inline constexpr double kCopySeconds = 1e-12;  // per byte
inline constexpr double kLaunchSeconds = 10e-6;

struct Physical {
  int file = -1;  // a memfd
  std::uint64_t bytes = 0;
};

/// One line of a "binary": `kernel NAME BEHAVIOUR [NUMBER]`.
struct Kernel {
  std::string name, behaviour;
  long number = 0;
};
struct Module {
  std::vector<Kernel> kernels;
};

struct State {
  double seconds = 0;
  CUresult sticky = CUDA_SUCCESS;
  std::uint64_t created_bytes = 0;
  std::uintptr_t streams = 0;
  bool leftover = false;  // of a kernel, in shared memory
  bool occupied = false;  // some of the SMs
};
State& state();

/// Whether a test has put a file of this name beside the library: how a whole GPU is made to fail.
bool is_told(const char* what);

/// The kernel does what its behaviour says, now.
CUresult execute(const Kernel& kernel, const CUlaunchConfig& shape, void** parameters,
                 void** extra);

}  // namespace fake
