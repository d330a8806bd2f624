// SPDX-License-Identifier: Apache-2.0
// C++ that launches one version of an operator: its kernels as they are, and its plan as a
// function.
#pragma once
#include "package/delivery.h"

namespace kp::package {

/// NAME_VERSION.cu: the kernels, then in namespace kernelpro::NAME::VERSION the functions
/// `workspace_bytes`, `prepare` and `launch`.
Result<File> write_version(const Delivery& delivery, const Candidate& candidate,
                           const std::string& version);

/// "const Whole half = rows / 2;" for each axis, chosen ones from `arguments`.
Result<std::string> axis_lines(const Delivery& delivery);

}  // namespace kp::package
