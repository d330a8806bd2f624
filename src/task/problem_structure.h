// SPDX-License-Identifier: Apache-2.0
// What the inputs and weights of a Python problem have in common whatever is drawn: found by
// looking at what its own code makes. Used by python_problem.cc.
#pragma once
#include <map>
#include <span>
#include <string>

#include "model/structure.h"
#include "torch/worker.h"

namespace kp::task {

/// By the name of the tensor; those without any are not in it.
using Structures = std::map<std::string, Structure>;

/// Of the tensors of `seen`, at these sizes, in two draws of the problem's own code. A structure
/// that chance would give more often than once in 1e12 draws is none.
Result<Structures> find_structures(torch::Worker& worker, int problem,
                                   const torch::Constants& constants,
                                   const torch::Description& seen);

/// Its last two dimensions.
MatrixExtents extents_of(const torch::Member& member);

/// Of one draw. `whole`: the tensor holds whole numbers or booleans.
Structure structure_of(std::span<const double> values, const MatrixExtents& extents, bool whole);

}  // namespace kp::task
