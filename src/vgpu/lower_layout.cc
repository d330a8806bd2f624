// SPDX-License-Identifier: Apache-2.0
// Blocks to code: in the order of cfg.h, with a jump only where a block does not go on to its
// neighbour.
#include "vgpu/cfg.h"
#include "vgpu/lowering.h"

namespace kp::vgpu {
namespace {

/// Calls `visit(int& target)` for every way out of a block; the preferred neighbour last.
template <class Visitor>
void for_each_exit(Program& program, BasicBlock& block, Visitor&& visit) {
  if (block.table >= 0) {
    for (auto& target : program.tables[static_cast<std::size_t>(block.table)]) {
      int to = static_cast<int>(target);
      visit(to);
      target = static_cast<std::uint32_t>(to);
    }
  }
  if (block.target >= 0) visit(block.target);
  if (block.next >= 0) visit(block.next);
}

/// Where a jump to each block ends up: behind blocks that only go on. Compilers write
/// `@p bra A; bra B;`, whose second jump is a block of its own.
std::vector<int> final_targets(const std::vector<BasicBlock>& blocks) {
  constexpr int kOpen = -1, kOnPath = -2;
  std::vector<int> targets(blocks.size(), kOpen);
  for (std::size_t start = 0; start < blocks.size(); ++start) {
    std::vector<std::size_t> path;
    std::size_t at = start;
    while (targets[at] == kOpen) {
      const auto& block = blocks[at];
      path.push_back(at);
      targets[at] = kOnPath;
      if (!block.code.empty() || block.branch || block.next < 0) break;
      at = static_cast<std::size_t>(block.next);
    }
    // An empty loop ends where it was entered.
    const int end = targets[at] >= 0 ? targets[at] : static_cast<int>(at);
    for (const std::size_t one : path) targets[one] = end;
  }
  return targets;
}

std::vector<int> order_blocks(Lowering& low) {
  Graph graph;
  const auto targets = final_targets(low.blocks);
  for (auto& block : low.blocks) {
    for_each_exit(low.program, block, [&](int& to) { to = targets[static_cast<std::size_t>(to)]; });
  }
  for (auto& block : low.blocks) {
    if (block.target >= 0 && block.target == block.next) {
      block.branch.reset();
      block.target = -1;
    }
    auto& successors = graph.successors.emplace_back();
    for_each_exit(low.program, block, [&](int to) { successors.push_back(to); });
  }
  // The functions are reached by calls; here they hang on the first block, and come before its
  // next.
  for (auto& frame : low.frames) {
    frame.entry = targets[static_cast<std::size_t>(frame.entry)];
    graph.successors[0].push_back(frame.entry);
  }
  auto order = layout(graph);
  for (std::size_t i = 0; i < low.blocks.size(); ++i) {
    auto to = graph.successors[i].begin();
    for_each_exit(low.program, low.blocks[i], [&](int& target) { target = *to++; });
  }
  for (std::size_t i = low.blocks.size(); i < graph.successors.size(); ++i)
    low.blocks.emplace_back().next = graph.successors[i].front();
  return order;
}

void append_jump(Program& program, const BasicBlock& block) {
  Instruction jump;
  jump.kind = Kind::kBranch;
  jump.cls = Class::kControl;
  jump.uniform = true;
  jump.extra = static_cast<std::uint32_t>(block.next);
  jump.line = block.line;
  jump.ptx_line = block.ptx_line;
  if (jump.ptx_line == 0 && !block.code.empty()) {
    jump.line = block.code.back().line;
    jump.ptx_line = block.code.back().ptx_line;
  }
  program.code.push_back(jump);
}

/// Targets are still block numbers.
void append(Program& program, BasicBlock& block, int neighbour) {
  program.code.insert(program.code.end(), block.code.begin(), block.code.end());
  if (block.branch && block.target >= 0 && block.target == neighbour) {
    block.branch->guard_negated = !block.branch->guard_negated;
    std::swap(block.target, block.next);
  }
  if (block.branch) {
    if (block.target >= 0) block.branch->extra = static_cast<std::uint32_t>(block.target);
    program.code.push_back(*block.branch);
  }
  if (block.next >= 0 && block.next != neighbour) append_jump(program, block);
}

}  // namespace

void lay_out(Lowering& low) {
  auto& program = low.program;
  const auto order = order_blocks(low);
  std::vector<std::uint32_t> starts(low.blocks.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    starts[static_cast<std::size_t>(order[i])] = static_cast<std::uint32_t>(program.code.size());
    append(program, low.blocks[static_cast<std::size_t>(order[i])],
           i + 1 < order.size() ? order[i + 1] : -1);
  }
  for (auto& instruction : program.code) {
    if (instruction.kind == Kind::kBranch) instruction.extra = starts[instruction.extra];
  }
  for (auto& table : program.tables) {
    for (auto& target : table) target = starts[target];
  }
  for (std::size_t i = 0; i < low.frames.size(); ++i)
    program.functions[i].pc = starts[static_cast<std::size_t>(low.frames[i].entry)];
  program.leader.assign(program.code.size(), 0);
  for (const int block : order) {
    const auto start = starts[static_cast<std::size_t>(block)];
    if (start < program.leader.size()) program.leader[start] = 1;
  }
}

}  // namespace kp::vgpu
