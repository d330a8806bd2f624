// SPDX-License-Identifier: Apache-2.0
// One-dimensional blocks: how a kernel, or a device function that it calls, spells the size of its
// block and the place of a thread. Answers are conservative.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "propose/edit.h"
#include "propose/rewrite.h"
#include "propose/syntax.h"

namespace kp::propose {

class FlatBlock {
 public:
  /// Nothing unless the plan launches `function`, or kernels that name it, always with
  /// one-dimensional blocks of one size.
  static std::optional<FlatBlock> of(const Subject& subject, const SyntaxNode& function);

  /// A multiple of 32 threads, whatever the tune choice.
  bool has_whole_warps() const { return whole_warps_; }
  /// blockDim.x, a constant of that value, a variable that holds it.
  bool is_size(const SyntaxNode& expression) const;
  bool is_size_value(std::int64_t threads) const { return literal(*size_) == threads; }
  /// threadIdx.x, or a variable that holds it.
  bool is_thread(const SyntaxNode& expression) const;
  /// blockIdx.x * size + threadIdx.x in any order, or a variable that holds it.
  bool is_grid_thread(const SyntaxNode& expression) const;
  /// The text that stands for the size in an is_grid_thread() expression; "blockDim.x" else.
  std::string size_in(const SyntaxNode& grid_thread) const;
  /// The same for all threads of a block: parameters, constants, block indices, and variables that
  /// hold such; loads nothing.
  bool is_uniform(const SyntaxNode& expression) const;
  /// A test for equality that picks threads of the block, such as threadIdx.x == 0.
  bool picks_threads(const SyntaxNode& condition) const;

 private:
  FlatBlock(const Subject& subject, const SyntaxNode& function)
      : tree_(&subject.tree), function_(function) {}
  /// What a variable of the function holds throughout; invalid when unknown.
  SyntaxNode held_by(const SyntaxNode& name) const;
  bool depends_on_thread(const SyntaxNode& expression, int depth) const;
  bool is_uniform(const SyntaxNode& expression, int depth) const;
  SyntaxNode resolved(const SyntaxNode& expression) const;

  const SourceTree* tree_;
  SyntaxNode function_;
  std::optional<Expr> size_;
  bool whole_warps_ = false;
};

/// Lets all threads reach the end of the kernel: `if (C) return;` among its own statements becomes
/// `if (!(C)) {` with the bracket closed at the end. False when some return stands elsewhere.
bool enclose_returns(const SourceTree& tree, const SyntaxNode& kernel, Edits& edits);

}  // namespace kp::propose
