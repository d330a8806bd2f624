// SPDX-License-Identifier: Apache-2.0
// Which CUDA compilers this machine has.
#pragma once
#include <optional>
#include <string>

#include "base/file.h"

namespace kp::build {

struct Toolchain {
  Path root;  // CUDA folder: include/, lib64/
  Path include;
  Path nvrtc;           // libnvrtc.so.*
  Path nvcc;            // empty when absent
  std::string version;  // "13.0"
  Path host_compiler;   // c++ for reference.cc; empty when absent
};

/// Looks at CUDA_HOME, CUDA_PATH, nvcc in PATH, /usr/local/cuda*, /opt/cuda. Needs 12.4 or later.
/// kUnavailable lists where it looked and which packages bring it.
Result<Toolchain> find_toolchain();

/// What doctor prints and what belongs to the identity of a result: "NVRTC 13.0 (/usr/local/cuda)".
std::string describe(const Toolchain& toolchain);

}  // namespace kp::build
