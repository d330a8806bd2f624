// SPDX-License-Identifier: Apache-2.0
// What the regression tests of all forms share: shapes, fills, tolerances.
#pragma once
#include "harness/gate_rules.h"
#include "harness/gates.h"
#include "package/delivery.h"

namespace kp::package {

/// The most that two right results of an output may differ: both have an error of the class.
harness::rules::Gate tolerance_of(const Delivery& delivery, const Tensor& output);

/// The relative rounding of a floating type, 0 for others.
double rounding_of(DType type);

/// How `tensor` is filled in a case.
Distribution fill_of(const Tensor& tensor, const Case& shape);

}  // namespace kp::package
