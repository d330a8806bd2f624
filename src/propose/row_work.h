// SPDX-License-Identifier: Apache-2.0
// What a thread does for its row: which loops can be dealt out to lanes, what only one lane may do,
// and whether lanes then stay out of each other's way.
#pragma once
#include <vector>

#include "propose/deal.h"
#include "propose/elementwise.h"
#include "propose/rewrite.h"

namespace kp::propose {

class RowWork {
 public:
  /// `outermost`: deals out the outermost loop that can be, even where an inner one runs along
  /// memory.
  RowWork(const SourceTree& tree, const Elementwise& shape, bool outermost)
      : tree_(tree), shape_(shape), outermost_(outermost) {}

  /// False when something does not fit, or no loop can be dealt out.
  bool analyse();

  const std::vector<DealtLoop>& dealt() const { return dealt_; }
  /// Statements outside these loops that store, and so belong to one lane.
  const std::vector<SyntaxNode>& single() const { return single_; }

 private:
  bool visit(const SyntaxNode& statement);
  bool visit_declaration(const SyntaxNode& declaration) const;
  bool visit_loop(const SyntaxNode& statement);
  bool has_inner_work(const SyntaxNode& statement) const;
  bool visit_expression(const SyntaxNode& statement);

  const SourceTree& tree_;
  const Elementwise& shape_;
  bool outermost_;
  std::vector<DealtLoop> dealt_;
  std::vector<SyntaxNode> single_;
};

/// No lane reads what another lane stores, and no two store at one place.
bool lanes_keep_apart(const Subject& subject, const Elementwise& shape, const RowWork& work);

}  // namespace kp::propose
