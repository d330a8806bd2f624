// SPDX-License-Identifier: Apache-2.0
// Proposers that are asked in words: a model behind a chat, or any program that reads text.
#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "llm/chat.h"
#include "llm/metered.h"
#include "propose/llm/code_source.h"
#include "propose/proposer.h"

namespace kp::propose {

/// `code` may be null; `meter` counts what `chat` uses, and may be null. Generator, repairer and
/// code searcher are roles of one proposer.
std::unique_ptr<Proposer> make_model_proposer(std::unique_ptr<llm::Chat> chat,
                                              std::unique_ptr<CodeSource> code,
                                              const ProposerOptions& options,
                                              const llm::Metered* meter = nullptr);

/// `sh -c command` with the prompt as text on its standard input; its standard output is the reply.
/// A call that fails is an ask without proposals and a note; the third in a row is an error.
std::unique_ptr<Proposer> make_command_proposer(
    std::string command, const ProposerOptions& options,
    std::chrono::milliseconds deadline = std::chrono::minutes(30));

}  // namespace kp::propose
