// SPDX-License-Identifier: Apache-2.0
// A candidate's kernels as part of a larger program.
#pragma once
#include <string>
#include <vector>

#include "model/task.h"

namespace kp::package {

struct KernelSource {
  std::string text;                 // the source with its kernels renamed
  std::vector<std::string> macros;  // that it or its tune parameters define
};

/// The name of kernel `kernel` in a program that holds several versions of several operators.
std::string exported_name(const std::string& prefix, const std::string& kernel);

/// `candidate`'s source behind the #defines of its tune parameters: what follows its last #include
/// in the namespace `prefix`, kernels called by `exported_name`. Two versions of an operator
/// usually have the same names, and `extern "C"` has one of each. kUnsupported: a kernel that the
/// plan launches is made by a macro; a directive that tells one compiler from another, behind which
/// host code could hide.
Result<KernelSource> kernel_source(const Candidate& candidate, const std::string& prefix);

}  // namespace kp::package
