// SPDX-License-Identifier: Apache-2.0
// How the tensors of a Python problem are filled: as its author does, and screened, so that a wrong
// kernel cannot hide. Used by python_problem.cc.
#pragma once
#include <map>
#include <string>

#include "model/plan.h"
#include "task/problem_axes.h"
#include "task/problem_structure.h"

namespace kp::task {

using Distributions = std::map<std::string, Distribution>;

/// What the problem does at a small size, with values.
struct ProblemSample {
  ProblemSize size;  // its description has spreads
  int problem = 0;
  Structures structures;  // of its inputs and weights
};

/// As the author fills them: the nearest distribution by the spread of a sample.
Distributions original_values(const ProblemSample& sample);

/// Inputs normal, unless that takes the outputs out of the problem's domain (NaN or infinite where
/// the author's values give neither); weights around what the author draws, none of them constant,
/// since a bias of zero and a factor of one can be left out unnoticed. What has two values or an
/// order keeps to its author's.
Result<Distributions> screened_values(torch::Worker& worker, const ProblemSample& sample);

/// Integers that may be indices stay below the smallest axis that bounds them in the sample, at
/// every size.
Distributions within_axes(Distributions distributions, const torch::Description& sample,
                          const Bindings& sampled, const Bindings& axes);

}  // namespace kp::task
