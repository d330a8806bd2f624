// SPDX-License-Identifier: Apache-2.0
// A rewrite carries out one prescription on the syntax of a kernel: a known fix for a known fault.
// It works on any kernel whose syntax fits, and refuses what syntax can decide; the harness catches
// the rest. One file in rewrites/ for each, class in an anonymous namespace, maker at the bottom;
// catalog.cc is the only list.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "build/source_tree.h"
#include "model/finding.h"
#include "model/task.h"

namespace kp::propose {

/// What a rewrite may look at.
struct Subject {
  const Task& task;
  const Candidate& candidate;
  const build::SourceTree& tree;     // of candidate.source
  const Finding* finding = nullptr;  // that prescribed the action; null when swept without one
};

struct Rewritten {
  std::string source;  // whole file, plan included
  std::string idea;    // "pads tile by one column so that a column's words lie in different banks"
};
/// Why the syntax does not fit: one sentence, kept for `explain`.
struct Refusal {
  std::string why;
};
/// Several when there are several ways worth trying (128 and 64 bit), best first; never empty.
using RewriteResult = std::variant<std::vector<Rewritten>, Refusal>;

struct AboutRewrite {
  std::string_view name;           // "pad_shared"
  std::string_view action;         // diagnose/actions.h: the prescription it carries out
  std::string_view does;           // one sentence
  std::string_view preconditions;  // what must hold, one sentence
};

class Rewrite {
 public:
  virtual ~Rewrite() = default;
  virtual AboutRewrite about() const = 0;
  virtual RewriteResult apply(const Subject& subject) const = 0;
};

/// All rewrites in alphabetical order of name.
const std::vector<std::unique_ptr<Rewrite>>& rewrites();
/// docs/rewrites.md, from the rewrites' own descriptions.
std::string describe_rewrites_markdown();

}  // namespace kp::propose
