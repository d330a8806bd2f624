// SPDX-License-Identifier: Apache-2.0
// Shared arrays that hold one value for each thread of a block, read by others only through
// reduction trees: the thread could keep its value in a register. For warp_shuffle.
#pragma once
#include <string>
#include <vector>

#include "propose/barrier_tree.h"
#include "propose/flat_block.h"
#include "propose/syntax.h"

namespace kp::propose {

/// The declarations of shared variables in `function`.
std::vector<SyntaxNode> shared_declarations(const SourceTree& tree, const SyntaxNode& function);

class OwnSlots {
 public:
  /// `block` and `trees`, those of `function`, must outlive it up to analyse().
  OwnSlots(const SourceTree& tree, const SyntaxNode& function, const FlatBlock& block,
           const std::vector<BarrierTree>& trees, std::string name)
      : tree_(tree), function_(function), block_(block), trees_(trees), name_(std::move(name)) {}

  /// Follows the uses in the order of the source: a thread's own value, the tree, the result.
  /// False when there is another use, or no tree.
  bool analyse();

  const std::string& name() const { return name_; }
  const std::string& type() const { return type_; }
  const SyntaxNode& declaration() const { return declaration_; }
  /// The elements outside the trees.
  const std::vector<SyntaxNode>& uses() const { return uses_; }

 private:
  enum class State { kUnknown, kOwn, kResult };

  bool follow(const SyntaxNode& mention);
  bool reduce(const BarrierTree& tree);
  bool use_own(const SyntaxNode& element);
  void enter_loop_of(const SyntaxNode& mention);

  const SourceTree& tree_;
  SyntaxNode function_;
  const FlatBlock& block_;
  const std::vector<BarrierTree>& trees_;
  std::string name_, type_;
  SyntaxNode declaration_, loop_, result_in_;
  std::vector<SyntaxNode> uses_;
  State state_ = State::kUnknown;
  bool started_ = false, reduced_ = false;
  std::size_t reduced_at_ = std::string::npos;
};

}  // namespace kp::propose
