// SPDX-License-Identifier: Apache-2.0
// Which dimensions of a Python problem's tensors are the same thing, and what it is called. Used by
// python_problem.cc.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "task/problem_sizes.h"

namespace kp::task {

/// The shapes of a problem over axes. A dimension that never changes is a number. Others are axes:
/// two dimensions are the same axis when they are equal at every size that was tried, among them
/// sizes that differ in one constant alone; an axis that follows a constant has its name, another
/// that of a tensor and its dimension (`out_1`).
class ProblemAxes {
 public:
  /// `sizes` differ enough; all have the same tensors in the same order and rank (kUnsupported
  /// otherwise).
  static Result<ProblemAxes> find(const std::vector<ProblemSize>& sizes);

  /// In the order in which tensors mention them.
  const std::vector<std::string>& names() const { return names_; }
  /// `number`: of the tensor in inputs, weights, outputs, in this order.
  const std::vector<Expr>& shape(std::size_t number) const { return shapes_.at(number); }
  /// The values at one of the sizes, by its number in `sizes`.
  Bindings bindings(std::size_t size) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<Expr>> shapes_;
  std::map<std::string, std::vector<std::int64_t>> values_;  // of each axis, by size
};

/// Inputs, weights and outputs in this order.
std::vector<const torch::Member*> members_of(const torch::Description& description);

}  // namespace kp::task
