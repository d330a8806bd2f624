// SPDX-License-Identifier: Apache-2.0
// The instructions of a kernel as machine_code.cc looks at them: who defines and who uses which
// register, and what was found out about each.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "vgpu/lower_flat.h"
#include "vgpu/program.h"

namespace kp::vgpu {

struct MachineNode {
  const ptx::Instruction* in = nullptr;
  std::size_t block = 0, target_block = ~std::size_t{0};  // in order of the text
  std::vector<std::string> destinations, sources;         // registers, special ones left out
  std::optional<std::int64_t> immediate;                  // the last one among the sources
  std::string address;                                    // register or variable of [address]
  std::int64_t offset = 0;                                // behind `address`
  unsigned bits = 0;                                      // of the result type
  bool floating = false, reads_special = false;
  bool symbol = false;  // takes the address of a variable

  // Findings. `sass` and `machine_bytes` as in Instruction and Access; nothing: as they were.
  std::optional<std::uint32_t> sass;
  std::optional<std::uint8_t> machine_bytes;
  std::size_t issues_like = ~std::size_t{0};  // a node
  Pipe pipe = Pipe::kByClass;
  bool unrolled = false, aggregated = false;
  bool constant = false, absorbed = false;  // absorbed: it has taken another instruction in

  bool is(std::string_view opcode) const { return in->opcode == opcode; }
  bool has(std::string_view modifier) const { return in->has(modifier); }
  bool guarded() const { return in->guard.has_value(); }
  /// Neither control nor synchronisation.
  bool is_plain() const;
  bool changes_shared() const;
  bool loads_shared_word() const;
};

class MachineNodes {
 public:
  explicit MachineNodes(const Flat& flat);

  std::size_t size() const { return nodes_.size(); }
  MachineNode& operator[](std::size_t i) { return nodes_[i]; }
  const MachineNode& operator[](std::size_t i) const { return nodes_[i]; }
  auto begin() { return nodes_.begin(); }
  auto end() { return nodes_.end(); }

  const std::vector<std::size_t>& definitions(const std::string& name) const;
  bool single_definition(const std::string& name) const { return definitions(name).size() == 1; }
  /// The only definition, or size() when there is none or more.
  std::size_t definition(const std::string& name) const;
  std::size_t users(const MachineNode& node) const;
  /// Whether the one result of `node` has one definition, is used, and only by nodes that satisfy
  /// `test`.
  template <class Test>
  bool all_users(const MachineNode& node, Test test) const {
    if (node.destinations.size() != 1 || !single_definition(node.destinations[0])) return false;
    const auto found = uses_.find(node.destinations[0]);
    if (found == uses_.end()) return false;
    for (const std::size_t user : found->second)
      if (!test(nodes_[user])) return false;
    return true;
  }
  template <class Visit>
  void for_users(const MachineNode& node, Visit visit) {
    for (const std::size_t user : uses_[node.destinations[0]]) visit(nodes_[user]);
  }
  /// Whether all threads have the same value: a parameter or the address of a variable, and what
  /// follows from it.
  bool uniform(const std::string& name) const;
  /// Branches to a block.
  std::size_t entries(std::size_t block) const;
  /// The largest power of two up to 16 that is known to divide a register or a variable's address.
  std::int64_t alignment(const std::string& name) const;
  /// Writes the findings into the instructions that have the same PTX lines.
  void apply(Program& program) const;

 private:
  void add(const ptx::Instruction& instruction, std::size_t block);
  std::int64_t aligned(const std::string& name, unsigned depth) const;

  std::vector<MachineNode> nodes_;
  std::unordered_map<std::string, std::vector<std::size_t>> definitions_, uses_;
};

}  // namespace kp::vgpu
