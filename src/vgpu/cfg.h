// SPDX-License-Identifier: Apache-2.0
// Control flow of one kernel as a graph, and the order in which its blocks are laid out. Used by
// lowering; the executor depends on the order: it runs the lowest pc first.
#pragma once
#include <vector>

namespace kp::vgpu {

/// Node 0 is the entry. Of the successors the last one is what should come next where there is a
/// choice.
struct Graph {
  std::vector<std::vector<int>> successors;
};

/// An order of the nodes that the entry reaches, such that
///  - a loop (strongly connected part) is contiguous and begins with its header, at every level;
///  - without the edges back to headers it is a reverse post-order.
/// Hence a node precedes its immediate post-dominator, except the single latch of a loop, whose
/// post-dominator may be the header. To make the latch single, a header with several edges back
/// gets a new node, appended to `graph`, that they go through: else lanes that `continue` would run
/// ahead.
std::vector<int> layout(Graph& graph);

}  // namespace kp::vgpu
