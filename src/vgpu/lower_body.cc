// SPDX-License-Identifier: Apache-2.0
// The flat body of a kernel to basic blocks: control flow here, the rest by the table of families.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vgpu/lowering.h"

namespace kp::vgpu {
namespace {

using Lower = Result<void> (*)(Lowering&);
struct Family {
  std::string_view opcode;
  Lower lower;
};

// What is not listed is arithmetic.
constexpr std::array kFamilies{
    Family{"ld", lower_load},
    Family{"ldu", lower_load},
    Family{"st", lower_store},
    Family{"atom", lower_atomic},
    Family{"red", lower_atomic},
    Family{"cvta", lower_address},
    Family{"isspacep", lower_address},
    Family{"bar", lower_barrier},
    Family{"barrier", lower_barrier},
    Family{"membar", lower_fence},
    Family{"fence", lower_fence},
    Family{"cp", lower_copy_async},
    Family{"ldmatrix", lower_matrix},
    Family{"stmatrix", lower_matrix},
    Family{"call", lower_call},
    Family{"wmma", lower_wmma},
    Family{"mbarrier", lower_mbarrier},
    Family{"nanosleep", lower_sleep},
    Family{"trap", lower_trap},
    Family{"brkpt", lower_nothing},
    Family{"createpolicy", lower_policy},
    Family{"discard", lower_prefetch},
    Family{"prefetch", lower_prefetch},
    Family{"prefetchu", lower_prefetch},
    Family{"applypriority", lower_prefetch},
    Family{"griddepcontrol", lower_nothing},
    Family{"pmevent", lower_nothing},
};

class BodyLowering {
 public:
  explicit BodyLowering(Lowering& low) : low_(low) {}
  Result<void> run();

 private:
  struct Place {
    int block = -1;
    bool defined = false;
    const ptx::Instruction* user = nullptr;
  };
  BasicBlock& block() { return low_.blocks[low_.current]; }
  int add_block();
  int block_of(const std::string& label);
  Result<int> target(const ptx::Operand& operand);
  void begin(const ptx::Label& label);
  void behind_call();
  Result<void> statements(std::size_t first, std::size_t last);
  Result<void> kernel_start();
  void end(int next);
  Result<void> instruction(const ptx::Instruction& instruction);
  Result<void> branch();
  Result<void> branch_table();
  void exit();
  Result<void> check_labels();

  Lowering& low_;
  std::map<std::string, Place> labels_;
};

int BodyLowering::add_block() {
  low_.blocks.emplace_back().function = low_.function;
  return static_cast<int>(low_.blocks.size()) - 1;
}

int BodyLowering::block_of(const std::string& label) {
  auto& place = labels_[label];
  if (place.block < 0) place = {add_block(), false, low_.at};
  return place.block;
}

Result<int> BodyLowering::target(const ptx::Operand& operand) {
  const auto* label = std::get_if<ptx::Symbol>(&operand.value);
  if (label == nullptr) return low_.malformed_form("the target is not a label");
  return block_of(label->name);
}

void BodyLowering::begin(const ptx::Label& label) {
  const int next = block_of(label.name);
  labels_[label.name].defined = true;
  block().next = next;
  low_.current = static_cast<std::size_t>(next);
}

/// The block is complete; what follows belongs to a new one.
void BodyLowering::end(int next) {
  block().next = next;
  block().line = low_.line_of(*low_.at);
  block().ptx_line = static_cast<std::uint32_t>(low_.at->ptx_line);
  low_.current = static_cast<std::size_t>(add_block());
}

Result<void> BodyLowering::branch() {
  if (low_.at->has("idx")) return branch_table();
  if (low_.at->operands.size() != 1) return low_.malformed_form("it needs one label");
  KP_TRY(const int to, target(low_.at->operands[0]));
  if (low_.guard == kNone) {
    end(to);
    return {};
  }
  auto jump = low_.make(Kind::kBranch, Class::kControl, {});
  jump.uniform = low_.at->has("uni");
  const int next = add_block();
  block().branch = jump;
  block().target = to;
  block().next = next;
  low_.current = static_cast<std::size_t>(next);
  return {};
}

Result<void> BodyLowering::branch_table() {
  const auto& list = low_.at->operands;
  const auto* name = list.size() != 2 ? nullptr : std::get_if<ptx::Symbol>(&list[1].value);
  const auto table =
      std::find_if(low_.flat.tables.begin(), low_.flat.tables.end(),
                   [&](const auto& one) { return name != nullptr && one.name == name->name; });
  if (table == low_.flat.tables.end()) return low_.malformed_form("it needs an index and a table");
  Operands op;
  KP_TRY(op.a, low_.source(list[0], 4));
  constexpr std::uint32_t kMachineInstructions = 2;  // load of the target, indirect jump
  auto jump = low_.make(Kind::kBranchTable, Class::kControl, op, kMachineInstructions);
  jump.uniform = low_.at->has("uni");
  jump.extra = static_cast<std::uint32_t>(low_.program.tables.size());
  auto& targets = low_.program.tables.emplace_back();
  for (const auto& label : table->labels)
    targets.push_back(static_cast<std::uint32_t>(block_of(label)));
  block().branch = jump;
  block().table = static_cast<int>(jump.extra);
  const int next = add_block();
  if (low_.guard != kNone) block().next = next;
  low_.current = static_cast<std::size_t>(next);
  return {};
}

void BodyLowering::exit() {
  const bool returns = low_.function >= 0 && low_.at->opcode == "ret";
  low_.emit(returns ? Kind::kReturn : Kind::kExit, Class::kControl, {});
  if (low_.guard == kNone) end(-1);
}

Result<void> BodyLowering::instruction(const ptx::Instruction& instruction) {
  low_.at = &instruction;
  low_.guard = kNone;
  if (instruction.guard) {
    KP_TRY(const std::uint32_t predicate, low_.named_register(instruction.guard->name));
    if (low_.registers.lane_bytes(predicate) != 1)
      return low_.malformed_form("the guard is no predicate");
    low_.guard = predicate;
  }
  if (instruction.opcode == "bra" || instruction.opcode == "brx") return branch();
  if (instruction.opcode == "ret" || instruction.opcode == "exit") {
    exit();
    return {};
  }
  const auto family = std::find_if(kFamilies.begin(), kFamilies.end(), [&](const Family& one) {
    return one.opcode == instruction.opcode;
  });
  KP_TRY_VOID(family == kFamilies.end() ? lower_arithmetic(low_) : family->lower(low_));
  if (instruction.opcode == "call") behind_call();
  return {};
}

/// Lanes return to a block of its own.
void BodyLowering::behind_call() {
  block().call = low_.at;
  end(static_cast<int>(low_.blocks.size()));
}

/// The statements of the kernel, or of a function.
Result<void> BodyLowering::statements(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const auto& statement = low_.flat.body[i];
    if (const auto* label = std::get_if<ptx::Label>(&statement)) {
      begin(*label);
    } else {
      KP_TRY_VOID(instruction(std::get<ptx::Instruction>(statement)));
    }
  }
  return {};
}

Result<void> BodyLowering::check_labels() {
  for (const auto& [name, place] : labels_) {
    if (place.defined) continue;
    low_.at = place.user;
    return low_.malformed_form(fmt::format("label {} does not exist", name));
  }
  return {};
}

/// Functions lie before the kernel, so that lanes in a function come back before others run ahead:
/// the program begins with a block that sets up the stack and jumps to the kernel.
Result<void> BodyLowering::kernel_start() {
  static const ptx::Instruction kStart{.opcode = "mov"};
  low_.at = &kStart;
  KP_TRY_VOID(low_.copy(low_.stack_pointer(), low_.registers.constant(0, 4)));
  end(static_cast<int>(low_.blocks.size()));
  return {};
}

Result<void> BodyLowering::run() {
  low_.current = static_cast<std::size_t>(add_block());
  const auto& functions = low_.flat.functions;
  if (!functions.empty()) KP_TRY_VOID(kernel_start());
  const std::size_t size = low_.flat.body.size();
  KP_TRY_VOID(statements(0, functions.empty() ? size : functions[0].first_statement));
  // A body may end without ret.
  static const ptx::Instruction kEnd{.opcode = "exit"};
  KP_TRY_VOID(instruction(kEnd));
  for (std::size_t i = 0; i < functions.size(); ++i) {
    low_.function = static_cast<int>(i);
    low_.frames[i].entry = add_block();
    low_.current = static_cast<std::size_t>(low_.frames[i].entry);
    KP_TRY_VOID(statements(functions[i].first_statement,
                           i + 1 < functions.size() ? functions[i + 1].first_statement : size));
  }
  return check_labels();
}

}  // namespace

Result<void> lower_body(Lowering& low) { return BodyLowering(low).run(); }

}  // namespace kp::vgpu
