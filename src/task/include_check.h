// SPDX-License-Identifier: Apache-2.0
// Whether what a candidate includes is what its `level` allows.
#pragma once
#include <string>
#include <string_view>

#include "model/plan.h"

namespace kp::task {

/// Errors, at the include: a path out of the include roots (absolute, `..`), a header name that is
/// not written literally, CuTe below `level cute`, CUTLASS below `level cutlass`.
Result<void> check_includes(std::string_view source, const std::string& file, IncludeLevel level);

}  // namespace kp::task
