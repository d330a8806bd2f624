// SPDX-License-Identifier: Apache-2.0
// Conversations kept in files, so that what builds on PyTorch can be tested where there is none. A
// file has one line of JSON for each request: {request, answer, arrays {name: [number]}}, or
// {request, error {kind, message, hint}} where the problem was refused. Instead of the text and the
// arrays of a request it has their hashes.
#pragma once
#include <memory>

#include "torch/conversation.h"

namespace kp::torch {

/// Answers out of a recording; its Installation says so. kNotFound for a request that is not in it.
Result<std::unique_ptr<Worker>> replayed_worker(const Path& recording);

/// As Worker::start, and everything that is asked and answered is written to `recording`, anew.
Result<std::unique_ptr<Worker>> recorded_worker(const WorkerOptions& options,
                                                const Path& recording);

/// For tests: records where UPDATE_GOLDENS is set and PyTorch is there, and replays otherwise.
Result<std::unique_ptr<Worker>> worker_for_tests(const Path& recording);

}  // namespace kp::torch
