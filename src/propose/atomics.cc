// SPDX-License-Identifier: Apache-2.0
#include "propose/atomics.h"

#include <algorithm>
#include <array>

#include "propose/effects.h"

namespace kp::propose {
namespace {

struct Known {
  std::string_view function;
  Combine combine;
};
constexpr std::array<Known, 6> kKnown{{{"atomicAdd", Combine::kAdd},
                                       {"atomicMax", Combine::kMax},
                                       {"atomicMin", Combine::kMin},
                                       {"atomicAnd", Combine::kAnd},
                                       {"atomicOr", Combine::kOr},
                                       {"atomicXor", Combine::kXor}}};

/// The pointer's name in p, p + .. and &p[..]; invalid for other addresses.
SyntaxNode pointer_of(const SyntaxNode& address) {
  SyntaxNode node = without_parentheses(address);
  if (node.type() == "binary_expression" && operator_of(node) == "+") node = node.field("left");
  if (node.type() == "pointer_expression" && operator_of(node) == "&") {
    node = without_parentheses(node.field("argument"));
    if (node.type() != "subscript_expression") return {};
    node = node.field("argument");
  }
  return node.type() == "identifier" ? node : SyntaxNode{};
}

std::optional<AtomicUpdate> read_update(const SyntaxNode& call) {
  const std::string_view function = call.field("function").text();
  const auto known = std::find_if(kKnown.begin(), kKnown.end(),
                                  [&](const Known& k) { return k.function == function; });
  const auto arguments = call.field("arguments").children();
  if (known == kKnown.end() || arguments.size() != 2 ||
      call.parent().type() != "expression_statement") {
    return std::nullopt;
  }
  const SyntaxNode place = pointer_of(arguments[0]);
  if (!place.valid()) return std::nullopt;
  return AtomicUpdate{call.parent(), arguments[0],          arguments[1],
                      place,         std::string(function), std::string(place.text()),
                      known->combine};
}

}  // namespace

std::vector<AtomicUpdate> atomic_updates(const SourceTree& tree, const SyntaxNode& kernel) {
  std::vector<AtomicUpdate> found;
  const auto pointers = pointer_parameters(tree, kernel);
  for (const SyntaxNode& call : tree.all(kernel.field("body"), "call_expression")) {
    auto update = read_update(call);
    if (!update || !is_pure(tree, update->address) || !is_pure(tree, update->value)) continue;
    const bool parameter = std::any_of(pointers.begin(), pointers.end(), [&](const auto& pointer) {
      return pointer.name == update->pointer;
    });
    if (parameter) found.push_back(*std::move(update));
  }
  return found;
}

std::vector<AtomicUpdate> only_updates_of(const SourceTree& tree, const SyntaxNode& kernel,
                                          const std::string& pointer) {
  auto updates = atomic_updates(tree, kernel);
  std::erase_if(updates, [&](const AtomicUpdate& update) { return update.pointer != pointer; });
  const auto mentioned = mentions_of(tree, kernel.field("body"), pointer);
  if (mentioned.size() != updates.size()) return {};
  return updates;
}

bool signals_other_blocks(const SyntaxNode& kernel) {
  constexpr std::array<std::string_view, 5> kSignals{"__threadfence", "volatile", "this_grid",
                                                     "cuda::atomic", "asm"};
  return std::any_of(kSignals.begin(), kSignals.end(), [&](std::string_view signal) {
    return kernel.text().find(signal) != std::string_view::npos;
  });
}

}  // namespace kp::propose
