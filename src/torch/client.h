// SPDX-License-Identifier: Apache-2.0
// A Worker over a conversation. Used by worker.cc and recording.cc.
#pragma once
#include "torch/conversation.h"

namespace kp::torch {

/// Asks the other side who it is. `recorded` goes into the Installation.
Result<std::unique_ptr<Worker>> make_client(std::unique_ptr<Conversation> conversation,
                                            const std::string& device, bool recorded = false);

}  // namespace kp::torch
