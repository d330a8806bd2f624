// SPDX-License-Identifier: Apache-2.0
// Loops whose turns may be dealt out to the lanes of a warp or the threads of a block: each turn
// works on elements of its own, or adds to accumulators that nothing in the loop reads.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "propose/loops.h"
#include "propose/reduction.h"

namespace kp::propose {

struct Accumulator {
  std::string name, type;
  Combine combine = Combine::kAdd;
};

/// `pointer[index]` on the left of an assignment in a dealt loop; different in each turn.
struct DealtStore {
  SyntaxNode element;  // the subscript expression
  std::string pointer;
  std::string place;  // the index with the loop's own variables replaced by what they stand for
};

struct DealtLoop {
  CountedLoop loop;
  std::vector<Accumulator> accumulators;
  std::vector<DealtStore> stores;
  bool side_by_side = false;  // some subscript moves by one element a turn
};

/// Nothing when a turn may depend on another one, as far as scalars tell: it assigns outer
/// variables other than by accumulating, reads an accumulator, or stores at a place that does not
/// move with the index. Whether arrays that are stored are also read is for the caller to see.
std::optional<DealtLoop> deal_out(const SourceTree& tree, const SyntaxNode& kernel,
                                  const SyntaxNode& statement);

/// The same for a body whose turns are given by the value of `index`, which is declared outside
/// `scope` and does not change in it: the statements of an element-wise kernel.
std::optional<DealtLoop> deal_out(const SourceTree& tree, const SyntaxNode& kernel,
                                  const SyntaxNode& scope, const std::string& index);

/// The index of `element` as in DealtStore::place.
std::string place_in(const SourceTree& tree, const CountedLoop& loop, const SyntaxNode& element);

}  // namespace kp::propose
