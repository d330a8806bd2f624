// SPDX-License-Identifier: Apache-2.0
// Several turns of a piece of code side by side: each statement for all turns before the next one,
// and the loads of a statement before it, so that loads of different turns are in flight together.
// Loops over the turns, and not repeated text: the compiler then sees one stride through memory,
// and goes on to overlap several rounds.
//
//     sum += a[i];    becomes    for each turn: a_turn[turn] = a[i + turn];
//                                for each turn: sum_turn[turn] += a_turn[turn];
//
// A counted loop among the statements is gone through once, with all turns in its body.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "propose/deal.h"
#include "propose/syntax.h"

namespace kp::propose {

/// How many turns go side by side. `bound`: of these only such as whose index lies below this
/// operand; empty for all.
struct Turns {
  int count = 1;
  std::string bound;
};

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

  /// The statements for several turns, each line with `spaces` in front. Accumulators are arrays
  /// called turns_of(name), one element a turn, which the caller declares.
  std::string text(const Turns& turns, std::size_t spaces) const;
  /// The name of the array that takes the place of a variable.
  std::string turns_of(const std::string& name) const;

 private:
  static bool has(const std::vector<std::string>& names, std::string_view name);
  bool read_statement(const SyntaxNode& statement, bool stores, bool conditional);
  bool read_loop(const SyntaxNode& statement, bool stores);
  bool read_declaration(const SyntaxNode& declaration);
  bool read_expression(const SyntaxNode& statement, bool stores);
  bool read_accumulation(const SyntaxNode& statement);
  bool only_accumulate(const std::vector<SyntaxNode>& statements) const;
  std::vector<SyntaxNode> hoisted_loads(const SyntaxNode& statement) const;
  std::string text_of(const std::vector<SyntaxNode>& statements, const Turns& turns,
                      std::size_t spaces) const;
  std::string text_of_declaration(const SyntaxNode& declaration, const Turns& turns,
                                  const std::string& in) const;
  std::string text_of_loop(const SyntaxNode& statement, const Turns& turns,
                           std::size_t spaces) const;
  std::string text_of_work(const SyntaxNode& statement, const Turns& turns,
                           const std::string& in) const;
  bool loads_again(const SyntaxNode& statement, std::vector<std::string>& loaded) const;
  std::string each_turn(const std::string& statement, const Turns& turns,
                        const std::string& in) const;
  std::string renamed(const SyntaxNode& node, const std::vector<SyntaxNode>& loads) const;
  std::string name_of_load(const SyntaxNode& load) const;
  std::string type_of_load(const SyntaxNode& load) const;
  std::string turn() const;           // the variable that counts turns
  std::string index_of_turn() const;  // `index + turn * step`

  const SourceTree& tree_;
  SyntaxNode function_;
  std::string index_, step_;
  std::vector<SyntaxNode> statements_;
  std::vector<SyntaxNode> leaves_;  // of these and of loops among them, what is no loop
  std::vector<Accumulator> accumulators_;
  std::vector<int> accumulator_mentions_;
  std::vector<std::string> locals_, stored_;
};

}  // namespace kp::propose
