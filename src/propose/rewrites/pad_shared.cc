// SPDX-License-Identifier: Apache-2.0
// Sees: a static shared array of two or more dimensions whose rows are a multiple of 32 banks long,
// so that
//   the words of a column lie in one bank.
// Does: makes the last dimension one element longer.
// Refuses: dynamic or one-dimensional arrays; arrays whose address is taken, cast or passed on,
// since
//   their layout may matter to somebody.
#include "propose/catalog.h"
#include "propose/edit.h"

namespace kp::propose {
namespace {

using build::SyntaxNode;

bool is_shared(const SyntaxNode& declaration) {
  bool shared = false;
  for (const auto& child : declaration.children()) {
    if (child.text() == "extern") return false;
    shared = shared || child.text() == "__shared__";
  }
  return shared;
}

SyntaxNode innermost(SyntaxNode declarator) {
  while (declarator.type() == "array_declarator") declarator = declarator.field("declarator");
  return declarator;
}

/// Every use of `name` below `scope` is subscripted at least `rank` times.
bool only_indexed(const build::SourceTree& tree, const SyntaxNode& scope, std::string_view name,
                  int rank) {
  for (const auto& use : tree.all(scope, "identifier")) {
    if (use.text() != name || use.parent().type() == "array_declarator") continue;
    SyntaxNode node = use;
    for (int depth = 0; depth < rank; ++depth) {
      const SyntaxNode above = node.parent();
      if (above.type() != "subscript_expression" || !(above.children().front() == node))
        return false;
      node = above;
    }
  }
  return true;
}

class PadShared final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"pad_shared", diagnose::action::kPadShared,
            "makes the rows of a shared array one element longer",
            "a static shared array of two or more dimensions that is only indexed"};
  }

  RewriteResult apply(const Subject& subject) const override {
    std::vector<Rewritten> versions;
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      for (const SyntaxNode& declaration : subject.tree.all(kernel, "declaration")) {
        if (is_shared(declaration)) pad(subject, kernel, declaration, versions);
      }
    }
    if (versions.empty())
      return Refusal{"no static shared array of two dimensions is only indexed"};
    return versions;
  }

 private:
  static void pad(const Subject& subject, const SyntaxNode& kernel, const SyntaxNode& declaration,
                  std::vector<Rewritten>& versions) {
    const SyntaxNode array = declaration.field("declarator");
    if (array.type() != "array_declarator") return;
    const SyntaxNode inner = array.field("declarator");
    if (inner.type() != "array_declarator") return;
    int rank = 1;
    for (SyntaxNode d = inner; d.type() == "array_declarator"; d = d.field("declarator")) ++rank;
    const SyntaxNode size = array.field("size");
    const std::string_view name = innermost(array).text();
    if (!size.valid() || !only_indexed(subject.tree, kernel, name, rank)) return;
    Edits edits;
    edits.insert(size.end(), " + 1");
    versions.push_back(
        {edits.apply(subject.tree.source()),
         "pads " + std::string(name) +
             " by one column, so that the words of a column lie in different banks"});
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_pad_shared() { return std::make_unique<PadShared>(); }

}  // namespace kp::propose
