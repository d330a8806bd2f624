// SPDX-License-Identifier: Apache-2.0
// The Python reference of a definition as a problem that the process with PyTorch can load. Used by
// directory.cc where a task has no reference of another kind, and by timed_problem.cc.
#pragma once
#include <string>
#include <vector>

#include "task/definition.h"

namespace kp::task {

/// The reference with get_inputs() that makes its inputs, whose sizes are constants of the module.
std::string python_problem_of(const Definition& definition);

/// `reference` with get_inputs() that makes `values`: Python texts, one for each input.
std::string python_problem_of(const std::string& reference, const Declaration& declaration,
                              const std::vector<std::string>& values);

/// Values of these constants, put into every workload.
Result<void> set_python_sizes(const Declaration& declaration, std::vector<Workload>& workloads);

/// Writes a problem into the cache, under the name of its content.
Result<Path> keep_python_problem(const std::string& text);

/// "float32": what torch calls it.
std::string torch_type(DType type);

}  // namespace kp::task
