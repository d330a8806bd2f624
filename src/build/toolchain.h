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

/// NVIDIA's programs and libraries that look at machine code and at running kernels. Empty: absent.
struct InspectionTools {
  Path nvdisasm, cuobjdump, ncu, nsys, compute_sanitizer;
  Path cupti;  // libcupti.so.*
};

/// Looks in PATH, in every CUDA folder, in /opt/nvidia and, for CUPTI, among the system's
/// libraries. Where there are several of one kind, the newest.
InspectionTools find_inspection_tools();

/// kUnavailable, with how to get it.
Result<Path> find_ncu();

/// What doctor prints and what belongs to the identity of a result: "NVRTC 13.0 (/usr/local/cuda)".
std::string describe(const Toolchain& toolchain);

}  // namespace kp::build
