// SPDX-License-Identifier: Apache-2.0
// Inputs that the definition's own Python makes (`custom_inputs_entrypoint` of SOL-ExecBench). They
// are drawn once, from a fixed seed, kept in the cache, and are fixed data from then on.
#pragma once
#include <string>
#include <vector>

#include "task/definition.h"

namespace kp::task {

/// Puts in what read_workloads left open: an entry of Workload::data without a file. Starts the
/// process with PyTorch only when something is not in the cache. Errors: those of that process, and
/// kInvalidInput when the function gives another number of elements than the definition says.
Result<void> make_custom_inputs(const Definition& definition, std::vector<Workload>& workloads);

/// The reference with get_inputs() that calls the function for this workload. Floating elements are
/// given as integers with the same bits, so that none is rounded on its way.
std::string custom_problem_of(const Definition& definition, const Workload& workload);

}  // namespace kp::task
