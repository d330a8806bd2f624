// SPDX-License-Identifier: Apache-2.0
#include "vgpu/machine_nodes.h"

#include <algorithm>
#include <array>

namespace kp::vgpu {
namespace {

constexpr std::int64_t kMostAligned = 16;
constexpr unsigned kDeepest = 12;

bool one_of(std::string_view opcode, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, opcode) != list.end();
}

bool has_destination(std::string_view opcode) {
  return !one_of(
      opcode, {"st", "red", "bra", "brx", "bar", "barrier", "ret", "exit", "membar", "fence", "cp",
               "prefetch", "call", "trap", "nanosleep", "stmatrix", "wmma.store", "mbarrier"});
}

bool is_special(const std::string& name) {
  return name.starts_with("%tid") || name.starts_with("%ntid") || name.starts_with("%ctaid") ||
         name.starts_with("%nctaid") || name.starts_with("%laneid") ||
         name.starts_with("%warpid") || name.starts_with("%lanemask");
}

std::int64_t lowest_bit(std::int64_t value) {
  if (value == 0) return kMostAligned;
  return std::min(kMostAligned, value & -value);
}

/// Sorts one operand into the lists of a node.
class Sorter {
 public:
  Sorter(MachineNode& node, bool destination) : node_(node), destination_(destination) {}
  void operator()(const ptx::Operand& operand) {
    if (const auto* name = std::get_if<ptx::RegisterName>(&operand.value)) {
      add(name->name);
    } else if (const auto* pair = std::get_if<ptx::Pair>(&operand.value)) {
      add(pair->first.name);
      add(pair->second.name);
    } else if (const auto* vector = std::get_if<ptx::Vector>(&operand.value)) {
      for (const ptx::Operand& part : vector->parts) (*this)(part);
    } else if (const auto* literal = std::get_if<ptx::Immediate>(&operand.value)) {
      node_.immediate = static_cast<std::int64_t>(literal->bits);
    } else if (std::holds_alternative<ptx::Symbol>(operand.value)) {
      node_.symbol = true;
    } else if (const auto* address = std::get_if<ptx::Address>(&operand.value)) {
      place(*address);
    }
  }

 private:
  void add(const std::string& name) {
    if (is_special(name)) {
      node_.reads_special = true;
    } else {
      (destination_ ? node_.destinations : node_.sources).push_back(name);
    }
  }
  void place(const ptx::Address& address) {
    node_.offset = address.offset;
    if (const auto* name = std::get_if<ptx::RegisterName>(&address.base)) {
      node_.address = name->name;
      node_.sources.push_back(name->name);
    } else if (const auto* symbol = std::get_if<ptx::Symbol>(&address.base)) {
      node_.address = symbol->name;
    }
  }

  MachineNode& node_;
  bool destination_;
};

}  // namespace

bool MachineNode::is_plain() const {
  return !guarded() &&
         !one_of(in->opcode, {"bra", "brx", "bar", "barrier", "ret", "exit", "call", "atom", "red",
                              "shfl", "vote", "membar", "fence", "div", "rem", "trap"});
}

bool MachineNode::changes_shared() const {
  if (one_of(in->opcode, {"bar", "barrier", "call", "membar", "fence", "cp"})) return true;
  const bool writes = one_of(in->opcode, {"st", "atom", "red", "stmatrix"});
  return writes && !has("global") && !has("local");
}

bool MachineNode::loads_shared_word() const {
  return is("ld") && has("shared") && !has("volatile") && !guarded() && !has("v2") && !has("v4") &&
         bits == 32 && destinations.size() == 1;
}

MachineNodes::MachineNodes(const Flat& flat) {
  std::unordered_map<std::string, std::size_t> labels;
  std::size_t block = 0;
  bool after_branch = false;
  for (const ptx::Statement& statement : flat.body) {
    if (const auto* label = std::get_if<ptx::Label>(&statement)) {
      if (nodes_.empty() || nodes_.back().block == block) ++block;
      labels[label->name] = block;
      after_branch = false;
      continue;
    }
    const auto& instruction = std::get<ptx::Instruction>(statement);
    if (after_branch) ++block;
    add(instruction, block);
    after_branch = one_of(instruction.opcode, {"bra", "brx", "ret", "exit"});
  }
  for (MachineNode& node : nodes_) {
    if (!node.is("bra") || node.in->operands.empty()) continue;
    const auto* symbol = std::get_if<ptx::Symbol>(&node.in->operands.back().value);
    if (symbol == nullptr) continue;
    if (const auto found = labels.find(symbol->name); found != labels.end())
      node.target_block = found->second;
  }
}

void MachineNodes::add(const ptx::Instruction& instruction, std::size_t block) {
  MachineNode& node = nodes_.emplace_back();
  node.in = &instruction;
  node.block = block;
  const ptx::Type type = instruction.type();
  node.bits = 8 * ptx::bytes_of(type);
  if (instruction.has("wide")) node.bits *= 2;
  node.floating = ptx::is_floating(type);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    Sorter(node, i == 0 && has_destination(instruction.opcode))(instruction.operands[i]);
  }
  if (instruction.guard) node.sources.push_back(instruction.guard->name);
  const std::size_t index = nodes_.size() - 1;
  for (const std::string& name : node.destinations) definitions_[name].push_back(index);
  for (const std::string& name : node.sources) uses_[name].push_back(index);
}

const std::vector<std::size_t>& MachineNodes::definitions(const std::string& name) const {
  static const std::vector<std::size_t> none;
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? none : found->second;
}

std::size_t MachineNodes::definition(const std::string& name) const {
  const auto& all = definitions(name);
  return all.size() == 1 ? all.front() : size();
}

std::size_t MachineNodes::users(const MachineNode& node) const {
  if (node.destinations.size() != 1) return 0;
  const auto found = uses_.find(node.destinations[0]);
  return found == uses_.end() ? 0 : found->second.size();
}

std::size_t MachineNodes::entries(std::size_t block) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      nodes_, [&](const MachineNode& node) { return node.target_block == block; }));
}

std::int64_t MachineNodes::alignment(const std::string& name) const { return aligned(name, 0); }

std::int64_t MachineNodes::aligned(const std::string& name, unsigned depth) const {
  if (!name.starts_with('%')) return kMostAligned;  // variables: the assembler places them so
  const auto& all = definitions(name);
  if (all.empty() || depth > kDeepest) return depth > kDeepest ? kMostAligned : 1;
  std::int64_t result = kMostAligned;
  for (const std::size_t at : all) {
    const MachineNode& node = nodes_[at];
    std::int64_t sources = kMostAligned;
    for (const std::string& source : node.sources)
      sources = std::min(sources, aligned(source, depth + 1));
    if (node.reads_special) sources = 1;
    const std::int64_t literal = node.immediate ? lowest_bit(*node.immediate) : kMostAligned;
    if (node.is("add") || node.is("sub") || node.is("mov") || node.is("cvta")) {
      result = std::min({result, sources, literal});
    } else if (node.is("shl") && node.immediate) {
      result = std::min(result, sources << std::min<std::int64_t>(*node.immediate, 4));
    } else if (node.is("mul") && node.immediate) {
      result = std::min(result, sources * literal);
    } else if (node.is("and") && node.immediate) {
      result = std::min(result, std::max(sources, literal));
    } else {
      result = 1;
    }
  }
  return std::min(result, kMostAligned);
}

bool MachineNodes::uniform(const std::string& name) const {
  std::string at = name;
  for (unsigned depth = 0; depth < kDeepest; ++depth) {
    if (!at.starts_with('%')) return true;
    const std::size_t from = definition(at);
    if (from >= size()) return false;
    const MachineNode& node = nodes_[from];
    if (node.is("ld")) return node.has("param");
    const bool follows = node.is("mov") || node.is("cvta") || (node.is("add") && node.immediate);
    if (!follows || node.reads_special) return false;
    if (node.symbol) return true;
    if (node.sources.size() != 1) return false;
    at = node.sources[0];
  }
  return false;
}

void MachineNodes::apply(Program& program) const {
  std::unordered_map<std::uint32_t, std::size_t> by_line;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    by_line.emplace(static_cast<std::uint32_t>(nodes_[i].in->ptx_line), i);
  std::unordered_map<std::size_t, std::uint32_t> branches;
  std::uint32_t previous = 0;
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    Instruction& instruction = program.code[pc];
    const bool continues = instruction.ptx_line == previous;
    previous = instruction.ptx_line;
    const auto found = by_line.find(instruction.ptx_line);
    if (found == by_line.end()) continue;
    const MachineNode& node = nodes_[found->second];
    if (node.sass) instruction.sass = continues ? 0 : *node.sass;
    instruction.pipe = node.pipe;
    instruction.unrolled = node.unrolled;
    if (instruction.kind == Kind::kBranch)
      branches.emplace(found->second, static_cast<std::uint32_t>(pc));
    if (const auto branch = branches.find(node.issues_like); branch != branches.end())
      instruction.issues_like = branch->second;
    if (instruction.kind == Kind::kAtomic)
      program.accesses[instruction.extra].aggregated = node.aggregated;
    if (instruction.kind == Kind::kLoad && node.machine_bytes)
      program.accesses[instruction.extra].machine_bytes = *node.machine_bytes;
  }
}

}  // namespace kp::vgpu
