// SPDX-License-Identifier: Apache-2.0
// What inputs a candidate must get right: the sets of docs/harness.md, each with its purpose.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/task.h"
#include "task/distribution.h"

namespace kp::harness {

/// Tensors as double, by name; scalars have one value.
using TensorValues = std::map<std::string, std::vector<double>>;

enum class ValueSet {
  kContract,   // the task's own distribution
  kNormal,     // N(0, 1): precision class, sub-sampling
  kUniform,    // [-1, 1)
  kShifted,    // mean 100 deviations: cancellation
  kLarge,      // 1e3 to 1e4, one beyond the range of f16: overflow
  kTiny,       // 1e-30 and denormals: underflow
  kNeedles,    // one large value in each 1024 elements: skipped tiles
  kHeavyTail,  // clipped Cauchy
  kAllEqual,   // variance 0, ties
  kOneHot,     // a single 1 in each row
  kSorted,     // ascending
  kReversed,   // descending
  kIntegers,   // small whole numbers: results that are whole must be exact
  kSpecial,    // single NaN, +-Inf and +-0
};
std::string_view name_of(ValueSet set);

/// All sets that say something about this task; kContract first.
std::vector<ValueSet> value_sets_for(const Declaration& declaration, const Workload& workload);

using task::distribution_of;

/// The value of a tensor of rank 0: the workload's, else the task's.
Result<double> scalar_value(const Tensor& tensor, const Workload& workload);

/// Whether all floating tensors have mean zero in this set: then errors are judged against the
/// fluctuation of the result, not its size.
bool has_zero_mean(ValueSet set, const Declaration& declaration, const Workload& workload);

/// Values for every tensor that the task reads (inputs, weights, inout, scalars), with the
/// structure that it has in every set, rounded to their types. The same arguments give the same
/// values. Errors: a shape that has no size, a scalar without a value.
Result<TensorValues> draw_inputs(const Task& task, const Workload& workload, ValueSet set,
                                 std::uint64_t seed);

/// One rounding error of a class, relative.
double rounding_error_of(Precision precision);

/// `inputs` with each floating element moved by a random part of one rounding error of `precision`,
/// and denormals flushed: how much results may move tells how well they are determined.
TensorValues nudged(const TensorValues& inputs, const Task& task, Precision precision,
                    std::uint64_t seed);

}  // namespace kp::harness
