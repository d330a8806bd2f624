// SPDX-License-Identifier: Apache-2.0
// Several turns of a piece of code side by side: each statement for all turns before the next one,
// and the loads of a statement before it, so that loads of different turns are in flight together.
//
//     x = a[i]; sum += x * b[i];    becomes    x_0 = a[i]; x_1 = a[i + 1]; b_0 = b[i]; b_1 = b[i +
//     1];
//                                              sum += x_0 * b_0; sum_1 += x_1 * b_1;
#pragma once
#include <string>
#include <vector>

#include "propose/deal.h"
#include "propose/syntax.h"

namespace kp::propose {

class Jam {
 public:
  /// `index` is what differs between turns; turn k sees index + k * step, where `step` is the text
  /// of an operand.
  Jam(const SourceTree& tree, const SyntaxNode& function, std::string index, std::string step);

  /// Reads the statements; false when the turns depend on each other in another way than through
  /// accumulators, or do something that is not understood. `stores` allows assignments to elements
  /// of arrays that the statements do not load from; whether different names mean different memory
  /// is for the caller to know.
  bool read(const std::vector<SyntaxNode>& statements, bool stores);

  const std::vector<Accumulator>& accumulators() const { return accumulators_; }
  /// Arrays that are stored to, in order; with repetitions.
  const std::vector<std::string>& stored() const { return stored_; }
  std::size_t loads() const;  // of one turn

  /// The statements for `turns` turns, each line with `spaces` in front. Turn 0 combines into the
  /// accumulators themselves, turn k into copies called copy_of(name, k), which the caller
  /// declares.
  std::string text(int turns, std::size_t spaces) const;
  std::string copy_of(const std::string& name, int turn) const;

 private:
  bool read_statement(const SyntaxNode& statement, bool stores, bool conditional);
  bool read_declaration(const SyntaxNode& declaration);
  bool read_expression(const SyntaxNode& statement, bool stores);
  bool read_accumulation(const SyntaxNode& statement);
  bool only_accumulate(const std::vector<SyntaxNode>& statements) const;
  std::vector<SyntaxNode> hoisted_loads(const SyntaxNode& statement) const;
  std::string renamed(const SyntaxNode& node, int turn, const std::vector<SyntaxNode>& loads) const;
  std::string name_of_load(const SyntaxNode& load, int turn) const;

  const SourceTree& tree_;
  SyntaxNode function_;
  std::string index_, step_;
  std::vector<SyntaxNode> statements_;
  std::vector<Accumulator> accumulators_;
  std::vector<int> accumulator_mentions_;
  std::vector<std::string> locals_, stored_;
};

}  // namespace kp::propose
