// SPDX-License-Identifier: Apache-2.0
// Sees: a static shared array of two dimensions with 32 columns that is accessed along rows and
// columns. Does: stores column c of row r at c ^ (r % 32), which spreads columns over the banks
// without more memory. Refuses: another number of columns; uses that are not subscripted twice;
// subscripts with side effects,
//   since the row is evaluated twice.
#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/shared_array.h"

namespace kp::propose {
namespace {

constexpr std::int64_t kBanks = 32;

bool has_side_effects(const SourceTree& tree, const SyntaxNode& node) {
  return !tree.all(node, "update_expression").empty() ||
         !tree.all(node, "assignment_expression").empty() ||
         !tree.all(node, "call_expression").empty();
}

std::string inside(const SyntaxNode& subscript_list) {
  const std::string_view text = subscript_list.text();
  return std::string(text.substr(1, text.size() - 2));
}

class SwizzleShared final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {
        "swizzle_shared", diagnose::action::kSwizzleShared,
        "stores columns of a shared array at an XOR of row and column",
        "a static shared array [n][32] that is only indexed, by expressions without side effects"};
  }

  RewriteResult apply(const Subject& subject) const override {
    std::vector<Rewritten> versions;
    for (const SharedArray& array : shared_arrays(subject.tree)) {
      if (array.sizes.size() != 2 || array.last_size != kBanks) continue;
      if (auto version = swizzle(subject.tree, array)) versions.push_back(*std::move(version));
    }
    if (versions.empty()) return Refusal{"no shared array of 32 columns is only indexed"};
    return versions;
  }

 private:
  static std::optional<Rewritten> swizzle(const SourceTree& tree, const SharedArray& array) {
    const auto uses = indexed_uses(tree, array);
    if (!uses) return std::nullopt;
    Edits edits;
    for (const SyntaxNode& use : *uses) {
      const SyntaxNode column = use.children().back();
      const SyntaxNode row = use.children().front().children().back();
      if (has_side_effects(tree, row) || has_side_effects(tree, column)) return std::nullopt;
      edits.replace(column, "[(" + inside(column) + ") ^ ((" + inside(row) + ") & 31)]");
    }
    return Rewritten{edits.apply(tree.source()),
                     "swizzles " + array.name + ": column c of row r lies at c ^ (r % 32)"};
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_swizzle_shared() { return std::make_unique<SwizzleShared>(); }

}  // namespace kp::propose
