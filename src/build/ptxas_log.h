// SPDX-License-Identifier: Apache-2.0
// What `ptxas -v` prints, from nvcc or inside NVRTC's log.
#pragma once
#include <string_view>
#include <vector>

#include "build/build.h"

namespace kp::build {

/// One entry for each "Compiling entry function"; numbers that a line leaves out stay 0.
std::vector<KernelResources> read_ptxas_log(std::string_view log);

/// `log` without the lines of `ptxas -v` that are no warnings.
std::string without_ptxas_lines(std::string_view log);

}  // namespace kp::build
