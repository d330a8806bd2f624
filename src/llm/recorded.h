// SPDX-License-Identifier: Apache-2.0
// A chat that is recorded, and one that is only a recording.
#pragma once
#include <memory>

#include "llm/chat.h"
#include "llm/recording.h"

namespace kp::llm {

/// What `chat` answers, written down before it is given out. Errors are not recorded. A prompt that
/// `into` cannot keep ends the call with kIo.
std::unique_ptr<Chat> record(std::unique_ptr<Chat> chat, std::shared_ptr<Recording> into);

/// Answers each prompt with what was recorded for it; kCorrupt for a prompt that was not. The
/// evaluations of the same recording can be taken from `from` beside it.
std::unique_ptr<Chat> replay(std::shared_ptr<Recording> from);

}  // namespace kp::llm
