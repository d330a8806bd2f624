// SPDX-License-Identifier: Apache-2.0
// The Python that is to hold PyTorch.
#pragma once
#include <string>

#include "base/child.h"
#include "torch/worker.h"

namespace kp::torch {

/// How to get PyTorch, for hints.
std::string how_to_get_pytorch();

/// A program: `wanted`, else $KERNELPRO_PYTHON, else the first one that has PyTorch of python3 in
/// PATH and /usr/bin/python3. kUnavailable, with how to get it.
Result<std::string> find_python(const std::string& wanted);

/// The process of `python`; its socket and its nonce are left to the caller. kUnavailable when this
/// installation lacks the Python side.
Result<ChildSpec> worker_command(const std::string& python, const WorkerOptions& options);

}  // namespace kp::torch
