// SPDX-License-Identifier: Apache-2.0
// Changes to a text, collected by position in the original and applied at once.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "build/source_tree.h"

namespace kp::propose {

class Edits {
 public:
  /// Replaces [begin, end) of the original. Ranges must not overlap; insertions at one place keep
  /// the order in which they were asked for.
  void replace(std::size_t begin, std::size_t end, std::string text);
  void replace(const build::SyntaxNode& node, std::string text) {
    replace(node.begin(), node.end(), std::move(text));
  }
  void insert(std::size_t at, std::string text) { replace(at, at, std::move(text)); }
  bool empty() const { return edits_.empty(); }
  std::string apply(std::string_view original) const;

 private:
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };
  std::vector<Edit> edits_;
};

/// `text` with its lines moved so that the least indented one starts at column `spaces`;
/// preprocessor lines stay at the margin. The first line counts as indented like the least of the
/// others.
std::string reindented(std::string_view text, std::size_t spaces);

}  // namespace kp::propose
