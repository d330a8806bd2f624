// SPDX-License-Identifier: Apache-2.0
// The C++ sources that every form shares: the operator's header, its guard, its two versions.
#pragma once
#include <vector>

#include "package/delivery.h"

namespace kp::package {

/// NAME.h, NAME.cu, NAME_launch.cuh, NAME_optimized.cu, NAME_original.cu.
Result<std::vector<File>> write_library(const Delivery& delivery);

/// The evidence, each line behind `sign`.
std::string evidence_comment(const Delivery& delivery, std::string_view sign);

/// Axes that callers choose, in order of declaration.
std::vector<std::string> chosen_axes(const Delivery& delivery);

/// Whether something runs once before the timed launches.
bool has_prepare(const Delivery& delivery);

}  // namespace kp::package
