// SPDX-License-Identifier: Apache-2.0
#include "profile/sass_flow.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace kp::profile {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

bool is_jump(std::string_view name) {
  return name == "BRA" || name == "BRX" || name == "JMP" || name == "JMX";
}
bool is_end(std::string_view name) { return name == "EXIT" || name == "RET" || name == "KILL"; }

/// Whether the next instruction may follow.
bool falls_through(const SassInstruction& instruction) {
  if (!instruction.predicate.empty()) return true;
  if (is_end(instruction.name())) return false;
  if (!is_jump(instruction.name())) return true;
  // Newer forms name their predicate among the operands: "BRA.U UP0, `(.L_x_3)".
  const std::string& operands = instruction.operands;
  const bool unconditional = operands.starts_with('`') || operands.starts_with("0x") ||
                             instruction.name() == "BRX" || instruction.name() == "JMX";
  return !unconditional;
}

struct Block {
  std::size_t begin = 0, end = 0;  // instructions
  std::vector<std::size_t> next, previous;
};

/// The function cut where jumps start and end.
class Graph {
 public:
  explicit Graph(const std::vector<SassInstruction>& code) : code_(code) {
    for (std::size_t i = 0; i < code.size(); ++i) index_[code[i].address] = i;
    cut();
    for (std::size_t b = 0; b < blocks_.size(); ++b) connect(b);
    order_from_entry();
    find_dominators();
  }
  const std::vector<Block>& blocks() const { return blocks_; }
  bool reached(std::size_t block) const { return rank_[block] != kNone; }
  /// Whether every way to `block` leads through `gate`.
  bool dominates(std::size_t gate, std::size_t block) const {
    while (block != gate && block != 0) block = dominator_[block];
    return block == gate;
  }

 private:
  void cut() {
    std::set<std::size_t> starts{0};
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const bool leaves = is_jump(code_[i].name()) || is_end(code_[i].name());
      if (leaves) starts.insert(i + 1);
      for (const std::uint64_t target : code_[i].targets) {
        if (const auto found = index_.find(target); found != index_.end())
          starts.insert(found->second);
      }
    }
    starts.erase(code_.size());
    for (const std::size_t start : starts) {
      if (!blocks_.empty()) blocks_.back().end = start;
      block_at_[start] = blocks_.size();
      blocks_.push_back({start, code_.size(), {}, {}});
    }
  }
  void link(std::size_t from, std::size_t to) {
    blocks_[from].next.push_back(to);
    blocks_[to].previous.push_back(from);
  }
  void connect(std::size_t block) {
    const SassInstruction& last = code_[blocks_[block].end - 1];
    if (is_jump(last.name())) {
      for (const std::uint64_t target : last.targets) {
        if (const auto found = index_.find(target); found != index_.end())
          link(block, block_at_.at(found->second));
      }
    }
    if (falls_through(last) && block + 1 < blocks_.size()) link(block, block + 1);
  }
  /// Reverse postorder of what the entry reaches; a stack of our own, since code may be long.
  void order_from_entry() {
    rank_.assign(blocks_.size(), kNone);
    std::vector<bool> seen(blocks_.size(), false);
    std::vector<std::pair<std::size_t, std::size_t>> stack{{0, 0}};
    seen[0] = true;
    while (!stack.empty()) {
      auto& [block, child] = stack.back();
      if (child < blocks_[block].next.size()) {
        const std::size_t next = blocks_[block].next[child++];
        if (!seen[next]) stack.emplace_back(next, 0);
        seen[next] = true;
      } else {
        order_.push_back(block);
        stack.pop_back();
      }
    }
    std::reverse(order_.begin(), order_.end());
    for (std::size_t i = 0; i < order_.size(); ++i) rank_[order_[i]] = i;
  }
  std::size_t common_dominator(std::size_t a, std::size_t b) const {
    while (a != b) {
      std::size_t& later = rank_[a] > rank_[b] ? a : b;
      later = dominator_[later];
    }
    return a;
  }
  /// Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm".
  void find_dominators() {
    dominator_.assign(blocks_.size(), kNone);
    dominator_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::size_t block : order_) {
        if (block == 0) continue;
        std::size_t found = kNone;
        for (const std::size_t previous : blocks_[block].previous) {
          if (!reached(previous) || dominator_[previous] == kNone) continue;
          found = found == kNone ? previous : common_dominator(found, previous);
        }
        changed = changed || dominator_[block] != found;
        dominator_[block] = found;
      }
    }
  }

  const std::vector<SassInstruction>& code_;
  std::map<std::uint64_t, std::size_t> index_;   // by address
  std::map<std::size_t, std::size_t> block_at_;  // by first instruction
  std::vector<Block> blocks_;
  std::vector<std::size_t> order_, rank_, dominator_;
};

/// Header to blocks.
using Loops = std::map<std::size_t, std::set<std::size_t>>;

/// Adds what reaches `latch` without passing the header.
void grow(const Graph& graph, std::size_t latch, std::set<std::size_t>& body) {
  std::vector<std::size_t> open{latch};
  while (!open.empty()) {
    const std::size_t block = open.back();
    open.pop_back();
    if (!graph.reached(block) || !body.insert(block).second) continue;
    for (const std::size_t previous : graph.blocks()[block].previous) open.push_back(previous);
  }
}

Loops loops_of(const Graph& graph) {
  Loops loops;
  for (std::size_t block = 0; block < graph.blocks().size(); ++block) {
    if (!graph.reached(block)) continue;
    for (const std::size_t header : graph.blocks()[block].next) {
      if (!graph.dominates(header, block)) continue;
      loops[header].insert(header);
      grow(graph, block, loops[header]);
    }
  }
  return loops;
}

bool holds_another(const Loops& loops, const Loops::value_type& loop) {
  return std::any_of(loop.second.begin(), loop.second.end(), [&](std::size_t block) {
    return block != loop.first && loops.contains(block);
  });
}

}  // namespace

SassFlow flow_of(const SassFunction& function) {
  SassFlow flow{std::vector<bool>(function.code.size()), std::vector<bool>(function.code.size())};
  if (function.code.empty()) return flow;
  const Graph graph(function.code);
  const auto mark = [&](std::vector<bool>& marks, std::size_t b) {
    const Block& block = graph.blocks()[b];
    for (std::size_t i = block.begin; i < block.end; ++i) marks[i] = true;
  };
  for (std::size_t block = 0; block < graph.blocks().size(); ++block) {
    if (graph.reached(block)) mark(flow.reached, block);
  }
  const Loops loops = loops_of(graph);
  for (const auto& loop : loops) {
    if (holds_another(loops, loop)) continue;
    ++flow.loops;
    for (const std::size_t block : loop.second) mark(flow.innermost, block);
  }
  return flow;
}

}  // namespace kp::profile
