// SPDX-License-Identifier: Apache-2.0
// From the pieces of a reply to whole sources: files put together, plans found, diffs carried out.
#pragma once
#include <string>
#include <vector>

#include "propose/llm/pieces.h"
#include "propose/llm/reply.h"

namespace kp::propose {

/// A source with its plan, and the piece that it comes from.
struct Draft {
  std::string source;
  const Piece* piece = nullptr;
};

struct Assembly {
  std::vector<Draft> drafts;  // valid as long as the pieces
  std::vector<Fault> faults;  // of pieces that came to nothing
};

Assembly assemble(const std::vector<Piece>& pieces, const ReplyTo& to);

}  // namespace kp::propose
