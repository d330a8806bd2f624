// SPDX-License-Identifier: Apache-2.0
// Sizes at which a Python problem is run: its own, smaller ones for virtual devices, small ones for
// checks. Used by python_problem.cc.
#pragma once
#include <vector>

#include "model/plan.h"
#include "torch/worker.h"

namespace kp::task {

/// One size of a problem that works.
struct ProblemSize {
  torch::Constants constants;
  torch::Description description;  // of shapes; no spreads
};

/// Constants up to this are windows, strides, groups, numbers of a dimension: they shape the
/// problem and are left as they are.
inline constexpr std::int64_t kLargestForm = 16;

/// Elements of all tensors together.
double elements_of(const torch::Description& description);

/// Every constant above `bound` divided by its smallest prime factors until it is not, so that what
/// divided it still does where it can; a prime above becomes `bound`, less one where it is odd. A
/// multiple of another constant stays at least twice that one, even above `bound`: groups of one
/// channel are another problem.
torch::Constants reduced(const torch::Constants& constants, std::int64_t bound);

/// Constants that say how many independent problems there are, by their names, become 2.
torch::Constants with_small_batch(torch::Constants constants);

struct ProblemSizes {
  ProblemSize original;
  std::optional<ProblemSize> timed;  // for virtual devices; absent: the original is small enough
  std::vector<ProblemSize> checks;   // from small to large, one at least
  bool hardware_only = false;        // the one check is too large for a virtual device
};
/// Follows shapes only, so that the original may be larger than memory. Errors: the problem does
/// not run at its own size (the worker's words); kUnsupported when nothing is small enough even for
/// hardware.
Result<ProblemSizes> find_sizes(torch::Worker& worker, const torch::Problem& problem);

}  // namespace kp::task
