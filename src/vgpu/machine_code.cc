// SPDX-License-Identifier: Apache-2.0
#include "vgpu/machine_code.h"

#include <algorithm>

#include "vgpu/machine_nodes.h"

namespace kp::vgpu {
namespace {

using Nodes = MachineNodes;

/// A constant of the kernel: the assembler computes with it and needs no instruction.
void fold_constants(Nodes& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    MachineNode& node = nodes[i];
    if (node.destinations.size() != 1 || !nodes.single_definition(node.destinations[0])) continue;
    const bool foldable = node.is("mov") || node.is("cvt") || node.is("add") || node.is("shl") ||
                          node.is("mul") || node.is("sub");
    if (!foldable || node.symbol || node.reads_special || node.guarded()) continue;
    node.constant = std::ranges::all_of(node.sources, [&](const std::string& name) {
      const std::size_t from = nodes.definition(name);
      return from < i && nodes[from].constant;
    });
    if (node.constant) node.sass = 0;
  }
}

/// Special registers and the start of shared memory have to be fetched; so has a value that a loop
/// starts with.
void fetch_operands(Nodes& nodes) {
  bool shared_start = false;
  for (MachineNode& node : nodes) {
    if (!node.is("mov") || node.constant || node.destinations.size() != 1) continue;
    if (node.symbol) {
      node.sass = shared_start ? 1 : 3;
      shared_start = true;
    } else if (node.reads_special || node.sources.empty()) {
      node.sass = 1;
    }
  }
}

/// a + b * c in 64 bits is one instruction, wherever the product is only added.
void widen_addresses(Nodes& nodes) {
  for (MachineNode& node : nodes) {
    if (node.is("mad") && node.has("wide")) node.sass = 1;
    const bool product = node.is("mul") && node.has("wide");
    const bool shifted = node.is("shl") && node.bits == 64 && node.immediate.has_value();
    if ((!product && !shifted) || node.constant ||
        !nodes.all_users(node, [](const MachineNode& u) { return u.is("add") && u.bits == 64; })) {
      continue;
    }
    node.sass = 0;
    if (!product) continue;
    nodes.for_users(node, [](MachineNode& user) {
      user.sass = 1;
      user.pipe = Pipe::kMultiply;
      user.absorbed = true;
    });
  }
}

/// An offset that only addresses use stands in the loads and stores themselves.
void fold_offsets(Nodes& nodes) {
  for (MachineNode& node : nodes) {
    if (!node.is("add") || !node.immediate || node.absorbed || node.destinations.empty()) continue;
    if (!nodes.single_definition(node.destinations[0])) continue;
    const std::string& sum = node.destinations[0];
    if (nodes.all_users(node, [&](const MachineNode& u) { return u.address == sum; }))
      node.sass = 0;
  }
}

bool is_word_sum(const MachineNode& node) {
  return (node.is("add") || node.is("sub")) && node.bits == 32 && !node.floating;
}
bool is_word_logic(const MachineNode& node) {
  return (node.is("and") || node.is("or") || node.is("xor") || node.is("not")) && node.bits == 32;
}

/// Three operands fit one instruction: sums of three, shift and add, multiply and add, two logic
/// operations.
void join_words(Nodes& nodes) {
  for (MachineNode& node : nodes) {
    if (node.constant || node.sass == 0) continue;
    const bool sum = is_word_sum(node), logic = is_word_logic(node);
    const bool shift = node.is("shl") && node.bits == 32 && node.immediate.has_value();
    const bool product = node.is("mul") && node.has("lo") && node.bits == 32;
    if (!sum && !logic && !shift && !product) continue;
    const auto joins = [&](const MachineNode& user) {
      if (user.absorbed || user.block != node.block || user.sass == 0) return false;
      return logic ? is_word_logic(user) : is_word_sum(user);
    };
    const bool once = nodes.users(node) == 1;
    if ((!once && !shift) || !nodes.all_users(node, joins)) continue;
    node.sass = 0;
    nodes.for_users(node, [&](MachineNode& user) {
      user.absorbed = true;
      if (product) user.pipe = Pipe::kMultiply;
    });
  }
}

void choose_pipes(Nodes& nodes) {
  for (MachineNode& node : nodes) {
    if (node.floating || node.pipe != Pipe::kByClass) continue;
    if (node.is("mul") || node.is("mad")) node.pipe = Pipe::kMultiply;
    if (node.is("shl") && node.bits == 32) node.pipe = Pipe::kEither;
    if (is_word_sum(node) && !node.absorbed) node.pipe = Pipe::kEither;
    if (node.is("popc") || node.is("clz") || node.is("bfind") || node.is("brev"))
      node.pipe = Pipe::kSpecial;
  }
}

/// Negations and absolute values are operand modifiers of floating-point instructions; an unsigned
/// value needs no instruction to be wider.
void drop_modifiers(Nodes& nodes) {
  for (MachineNode& node : nodes) {
    const bool sign = (node.is("neg") || node.is("abs")) && node.floating;
    if (sign && nodes.all_users(node, [](const MachineNode& u) { return u.floating; }))
      node.sass = 0;
    if (node.is("cvt") && node.has("u64") && node.has("u32")) node.sass = 0;
  }
}

/// The assembler unrolls counted loops of one block four times: of counter, comparison and branch,
/// about one is left for each turn.
void unroll_loops(Nodes& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    MachineNode& branch = nodes[i];
    if (!branch.is("bra") || !branch.guarded() || branch.target_block != branch.block) continue;
    const std::size_t compare = nodes.definition(branch.in->guard->name);
    if (compare >= nodes.size() || nodes[compare].block != branch.block) continue;
    for (const std::string& name : nodes[compare].sources) {
      for (const std::size_t at : nodes.definitions(name)) {
        MachineNode& counter = nodes[at];
        const bool steps = counter.is("add") && counter.immediate && counter.block == branch.block;
        if (!steps) continue;
        counter.sass = 0;
        nodes[compare].sass = 0;
        branch.unrolled = true;
      }
    }
  }
}

constexpr std::size_t kLongestPredicated = 7;  // instructions

/// A short block that a branch jumps over becomes instructions with a predicate.
void predicate_blocks(Nodes& nodes) {
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    MachineNode& branch = nodes[i];
    const std::size_t body = branch.block + 1;
    if (!branch.is("bra") || !branch.guarded() || branch.target_block != body + 1) continue;
    std::size_t end = i + 1;
    bool plain = true;
    for (; end < nodes.size() && nodes[end].block == body; ++end) plain &= nodes[end].is_plain();
    const bool leaves = end < nodes.size() && nodes[end].is("ret");
    if (!plain || leaves || end - i - 1 > kLongestPredicated || end == i + 1) continue;
    if (nodes.entries(body) > 0) continue;
    branch.sass = 0;
    for (std::size_t at = i + 1; at < end; ++at) nodes[at].issues_like = i;
  }
}

/// Shared loads from neighbouring words of one block become loads of 8 or 16 bytes.
class SharedLoads {
 public:
  explicit SharedLoads(Nodes& nodes) : nodes_(nodes) {}
  void merge() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const MachineNode& node = nodes_[i];
      if (i > 0 && node.block != nodes_[i - 1].block) finish();
      if (node.changes_shared()) finish();
      if (node.loads_shared_word()) open_.push_back(i);
    }
    finish();
  }

 private:
  void finish() {
    std::ranges::stable_sort(
        open_, {}, [&](std::size_t i) { return std::pair(nodes_[i].address, nodes_[i].offset); });
    for (std::size_t first = 0; first < open_.size();) {
      std::size_t taken = 1;
      for (const std::size_t words : {4u, 2u}) {
        if (!starts(first, words)) continue;
        taken = words;
        break;
      }
      if (taken > 1) join(first, taken);
      first += taken;
    }
    open_.clear();
  }
  bool starts(std::size_t first, std::size_t words) const {
    if (first + words > open_.size()) return false;
    const MachineNode& leader = nodes_[open_[first]];
    const auto bytes = static_cast<std::int64_t>(4 * words);
    if (leader.offset % bytes != 0 || nodes_.alignment(leader.address) < bytes) return false;
    for (std::size_t k = 1; k < words; ++k) {
      const MachineNode& next = nodes_[open_[first + k]];
      const auto expected = leader.offset + static_cast<std::int64_t>(4 * k);
      if (next.address != leader.address || next.offset != expected) return false;
    }
    return true;
  }
  void join(std::size_t first, std::size_t words) {
    nodes_[open_[first]].machine_bytes = static_cast<std::uint8_t>(4 * words);
    for (std::size_t k = 1; k < words; ++k) {
      nodes_[open_[first + k]].machine_bytes = 0;
      nodes_[open_[first + k]].sass = 0;
    }
  }

  Nodes& nodes_;
  std::vector<std::size_t> open_;
};

/// Sums of all threads at one place are added up in the warp, and one lane goes to memory.
void aggregate_sums(Nodes& nodes) {
  constexpr std::uint32_t kSum = 7, kSumAndShare = 13;  // machine instructions, the access included
  for (MachineNode& node : nodes) {
    const bool atomic = (node.is("atom") || node.is("red")) && node.has("add");
    if (!atomic || node.has("shared") || node.floating || node.bits != 32) continue;
    if (!nodes.uniform(node.address)) continue;
    node.aggregated = true;
    node.sass = node.is("red") ? kSum : kSumAndShare;
  }
}

/// A wmma load or store is four accesses and their addresses, a 16x16x16 product two instructions.
void expand_fragments(Nodes& nodes) {
  for (MachineNode& node : nodes) {
    if (node.is("wmma")) node.sass = node.has("mma") ? 2 : 8;
  }
}

/// The stack pointer and the descriptor of global memory, which every kernel fetches.
constexpr std::uint32_t kFrame = 2;

}  // namespace

void expect_machine_code(const Flat& flat, Program& program) {
  Nodes nodes(flat);
  fold_constants(nodes);
  fetch_operands(nodes);
  widen_addresses(nodes);
  fold_offsets(nodes);
  join_words(nodes);
  drop_modifiers(nodes);
  unroll_loops(nodes);
  predicate_blocks(nodes);
  aggregate_sums(nodes);
  expand_fragments(nodes);
  SharedLoads(nodes).merge();
  choose_pipes(nodes);
  nodes.apply(program);
  if (!program.code.empty()) program.code.front().sass += kFrame;
}

}  // namespace kp::vgpu
