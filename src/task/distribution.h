// SPDX-License-Identifier: Apache-2.0
// Distributions of inputs: defaults, ranges, and the text form that definition.json uses.
#pragma once
#include "model/plan.h"

namespace kp::task {

struct IntegerRange {
  std::int64_t low = 0, high = 0;  // both inclusive
};

/// Integers that a type holds and a double too; for floating types all up to 2^53.
IntegerRange representable(DType type);

/// normal for floating types; all values of 8-bit and bool types; int(-1000, 1000) or int(0, 1000)
/// for wider integers.
Distribution default_distribution(DType type);

/// Errors: an empty range, one that the type cannot hold.
Result<Distribution> integer_distribution(const IntegerRange& range, DType type);

/// "normal", "uniform(-1, 1)", "int(0, n - 1)". The spot of an error counts within `text`.
Result<Distribution> parse_distribution(std::string_view text, const Tensor& tensor,
                                        const Bindings& axes);

/// How `tensor` is filled in `workload`.
Distribution distribution_of(const Tensor& tensor, const Workload& workload);

}  // namespace kp::task
