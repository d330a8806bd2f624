// SPDX-License-Identifier: Apache-2.0
// Sees: an atomic operation of many threads on an address that is the same for all threads of a
//   block; or a counter that is raised by the same constant wherever lanes happen to agree.
// Does: accumulates in a register, combines the registers of a block or a warp, and lets one thread
//   of it do the atomic operation; lanes that raise one counter do it once, as far as they meet.
//   Where one thread of each block does it already, fewer blocks go through the grid.
// Refuses: operations whose old value is used; addresses that the kernel uses otherwise; threads
//   that are picked already; kernels that signal other blocks; blocks that are no whole warps.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "propose/atomics.h"
#include "propose/catalog.h"
#include "propose/collectives.h"
#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/flat_block.h"
#include "propose/launches.h"
#include "propose/pattern.h"

namespace kp::propose {
namespace {

constexpr std::string_view kMatchedAdd =
    R"(static __device__ __forceinline__ void kp_matched_add($TYPE* address, $TYPE value) {
  const unsigned here = __activemask();
  const unsigned same = __match_any_sync(here, reinterpret_cast<unsigned long long>(address));
  if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(address, value * __popc(same));
}

)";

std::string element_of(const SourceTree& tree, const SyntaxNode& kernel, const std::string& name) {
  for (const PointerParameter& pointer : pointer_parameters(tree, kernel)) {
    if (pointer.name == name) return pointer.element;
  }
  return "";
}

/// One address that all threads of a block update by one operation.
struct SharedTarget {
  std::vector<AtomicUpdate> updates;
  std::string type, register_name, identity;
};

class AggregateAtomics final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"aggregate_atomics", diagnose::action::kAggregateAtomics,
            "does one atomic operation for a block or a warp instead of one for each thread",
            "an atomic operation without use of its result, at one address for all threads of a "
            "one-dimensional block of whole warps, or by a constant"};
  }

  RewriteResult apply(const Subject& subject) const override {
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      const auto block = FlatBlock::of(subject, kernel);
      if (!concerns(subject, kernel) || !block || !block->has_whole_warps() ||
          signals_other_blocks(kernel)) {
        continue;
      }
      std::vector<Rewritten> versions;
      for (const bool over_block : {true, false}) {
        auto version = aggregate(subject.tree, kernel, *block, over_block);
        if (version) versions.push_back(*std::move(version));
      }
      if (auto version = match(subject.tree, kernel, *block))
        versions.push_back(*std::move(version));
      if (!versions.empty()) return versions;
      // One for each block is there already: fewer blocks leave fewer of them.
      if (has_picked_update(subject.tree, kernel, *block))
        return make_grid_stride()->apply(subject);
    }
    return Refusal{
        "no kernel of one-dimensional blocks of whole warps updates one address from all threads, "
        "or counts by a constant"};
  }

 private:
  static std::vector<SharedTarget> targets(const SourceTree& tree, const SyntaxNode& kernel,
                                           const FlatBlock& block) {
    std::vector<SharedTarget> found;
    for (const PointerParameter& pointer : pointer_parameters(tree, kernel)) {
      auto updates = only_updates_of(tree, kernel, pointer.name);
      const auto first = updates.begin();
      const bool fits = !updates.empty() && can_shuffle(pointer.element) &&
                        std::all_of(first, updates.end(), [&](const AtomicUpdate& update) {
                          return update.combine == first->combine &&
                                 same_text(update.address, first->address) &&
                                 is_shared_address(tree, kernel, block, update) &&
                                 !is_picked(block, update.statement);
                        });
      const auto identity =
          fits ? identity_of(first->combine, pointer.element) : std::optional<std::string>{};
      const std::string name = "kp_" + pointer.name;
      if (!identity || mentions(tree, kernel, name)) continue;
      found.push_back({std::move(updates), pointer.element, name, *identity});
    }
    return found;
  }

  /// The address must mean the same at the end of the kernel: its variables are parameters.
  static bool is_shared_address(const SourceTree& tree, const SyntaxNode& kernel,
                                const FlatBlock& block, const AtomicUpdate& update) {
    SyntaxNode address = without_parentheses(update.address);
    SyntaxNode offset;
    if (address.type() == "binary_expression") offset = address.field("right");
    if (address.type() == "pointer_expression") {
      const auto indices =
          without_parentheses(address.field("argument")).field("indices").children();
      if (indices.size() != 1) return false;
      offset = indices.front();
    }
    if (!offset.valid()) return true;
    auto names = tree.all(offset, "identifier");
    if (offset.type() == "identifier") names.push_back(offset);
    return block.is_uniform(offset) &&
           std::all_of(names.begin(), names.end(), [&](const SyntaxNode& name) {
             const SyntaxNode declaration = declaration_of(tree, kernel, name.text());
             return declaration.type() != "declaration" ||
                    declaration.parent() == kernel.field("body");
           });
  }

  static bool has_picked_update(const SourceTree& tree, const SyntaxNode& kernel,
                                const FlatBlock& block) {
    const auto updates = atomic_updates(tree, kernel);
    return std::any_of(updates.begin(), updates.end(), [&](const AtomicUpdate& update) {
      return is_picked(block, update.statement);
    });
  }

  /// One thread or lane does it for others already.
  static bool is_picked(const FlatBlock& block, const SyntaxNode& statement) {
    for (SyntaxNode node = statement.parent(); node.valid(); node = node.parent()) {
      if (node.type() == "if_statement" && block.picks_threads(node.field("condition")))
        return true;
    }
    return false;
  }

  static std::optional<Rewritten> aggregate(const SourceTree& tree, const SyntaxNode& kernel,
                                            const FlatBlock& block, bool over_block) {
    const auto found = targets(tree, kernel, block);
    if (found.empty()) return std::nullopt;
    const SyntaxNode body = kernel.field("body");
    Edits edits;
    Collectives collectives(tree, kernel);
    if (!enclose_returns(tree, kernel, edits)) return std::nullopt;
    std::string declared, last;
    for (const SharedTarget& target : found) {
      const AtomicUpdate& first = target.updates.front();
      declared +=
          fmt::format("\n  {} {} = {};", target.type, target.register_name, target.identity);
      const std::string call =
          over_block ? collectives.over_block(first.combine, target.type, target.register_name)
                     : collectives.over_warp(first.combine, target.type, target.register_name);
      last += fmt::format("  {0} = {1};\n  if ({2} == 0) {3}({4}, {0});\n", target.register_name,
                          call, over_block ? "threadIdx.x" : "threadIdx.x % 32", first.function,
                          first.address.text());
      for (const AtomicUpdate& update : target.updates)
        edits.replace(update.statement, add(target, update));
    }
    edits.insert(body.begin() + 1, declared);
    edits.insert(body.end() - 1, last);
    collectives.insert_into(edits);
    return Rewritten{
        edits.apply(tree.source()),
        fmt::format("does one {} for each {} of {}", found.front().updates.front().function,
                    over_block ? "block" : "warp", name_of_kernel(kernel))};
  }

  static std::string add(const SharedTarget& target, const AtomicUpdate& update) {
    const std::string_view value = update.value.text();
    if (update.combine == Combine::kAdd)
      return fmt::format("{} += {};", target.register_name, value);
    return fmt::format("{} = {};", target.register_name,
                       combined(update.combine, target.register_name,
                                fmt::format("static_cast<{}>({})", target.type, value)));
  }

  /// Counters at addresses of each thread's own.
  static std::optional<Rewritten> match(const SourceTree& tree, const SyntaxNode& kernel,
                                        const FlatBlock& block) {
    Edits edits;
    std::vector<std::string> types;
    for (const AtomicUpdate& update : atomic_updates(tree, kernel)) {
      const std::string type = element_of(tree, kernel, update.pointer);
      const bool counter = type == "int" || type == "unsigned int" || type == "unsigned";
      std::string_view value = update.value.text();
      while (!value.empty() && (value.back() == 'u' || value.back() == 'U')) value.remove_suffix(1);
      if (update.combine != Combine::kAdd || !counter || !parse_integer(value) ||
          same_for_block(block, update.address) || is_picked(block, update.statement)) {
        continue;
      }
      const SyntaxNode call = update.statement.children().front();
      edits.replace(call.field("function"), "kp_matched_add");
      if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
    }
    if (types.empty()) return std::nullopt;
    std::string functions;
    for (const std::string& type : types) {
      functions += filled(kMatchedAdd, {{"TYPE", type}});
    }
    edits.insert(place_before(tree, kernel), functions);
    return Rewritten{edits.apply(tree.source()),
                     fmt::format("lets the lanes of {} that raise the same counter do it once",
                                 name_of_kernel(kernel))};
  }

  static bool same_for_block(const FlatBlock& block, const SyntaxNode& address) {
    const SyntaxNode node = without_parentheses(address);
    if (node.type() != "pointer_expression") return node.type() == "identifier";
    const auto indices = without_parentheses(node.field("argument")).field("indices").children();
    return indices.size() == 1 && block.is_uniform(indices.front());
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_aggregate_atomics() { return std::make_unique<AggregateAtomics>(); }

}  // namespace kp::propose
