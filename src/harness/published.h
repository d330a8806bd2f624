// SPDX-License-Identifier: Apache-2.0
// The verdict that a published benchmark's own tolerance would give: a second opinion, computed as
// its evaluator does, in single precision beside the expected values rounded to the output's type.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "model/dtype.h"
#include "model/evaluation.h"
#include "model/tolerance.h"

namespace kp::harness {

/// One output of one run.
struct PublishedOutput {
  DType dtype = DType::kF32;
  std::span<const double> got;       // decoded from the device
  std::span<const double> expected;  // the reference in double, not rounded
};

/// Adds an output to the verdict of its workload; a verdict keeps the worst of each figure.
void judge_published(PublishedVerdict& verdict, const Tolerance& tolerance,
                     const PublishedOutput& output);

/// One sentence for notes.
std::string to_note(const PublishedVerdict& verdict);

}  // namespace kp::harness
