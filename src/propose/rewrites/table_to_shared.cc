// SPDX-License-Identifier: Apache-2.0
// Sees: a small table in constant memory, or an array of constant extent that is only read, which
//   lanes look up at places that depend on their data: constant memory answers one address at a
//   time, and global memory one sector.
// Does: copies it to shared memory at the start of the kernel, by all threads, with a barrier
//   before anybody may return, and looks it up there.
// Refuses: tables of unknown extent or more than 16 KB; subscripts that are the same for all lanes;
//   tables whose address is taken or that are passed on.
#include <fmt/format.h>

#include <algorithm>

#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/launches.h"
#include "propose/loops.h"
#include "propose/pointees.h"

namespace kp::propose {
namespace {

constexpr std::int64_t kMostBytes = 16 * 1024;

struct Table {
  std::string name, type;
  std::vector<std::string> extents;  // texts, outermost first
  std::vector<SyntaxNode> uses;      // fully subscripted, at places that differ between lanes
};

/// Variables of the kernel whose values differ between the lanes of a warp.
class Varying {
 public:
  Varying(const SourceTree& tree, const SyntaxNode& kernel) : tree_(tree) {
    // Each round adds what depends on what the round before added.
    for (bool more = true; more;) {
      const std::size_t before = names_.size();
      for (const SyntaxNode& declarator : tree.all(kernel, "init_declarator")) {
        add(declarator.field("declarator"), declarator.field("value"));
      }
      for (const SyntaxNode& assignment : tree.all(kernel, "assignment_expression")) {
        add(assignment.field("left"), assignment.field("right"));
      }
      more = names_.size() > before;
    }
  }

  /// `by_data`: count only what was loaded, not what is computed from the thread's place.
  bool differs(const SyntaxNode& expression, bool by_data) const {
    if (expression.type() == "subscript_expression") return true;
    if (!tree_.all(expression, "subscript_expression").empty()) return true;
    if (!by_data && expression.text().find("threadIdx") != std::string_view::npos) return true;
    auto names = tree_.all(expression, "identifier");
    if (expression.type() == "identifier") names.push_back(expression);
    return std::any_of(names.begin(), names.end(), [&](const SyntaxNode& name) {
      const auto& known = by_data ? loaded_ : names_;
      return std::find(known.begin(), known.end(), name.text()) != known.end();
    });
  }

 private:
  void add(const SyntaxNode& target, const SyntaxNode& value) {
    if (target.type() != "identifier") return;
    const std::string name(target.text());
    const auto enter = [&name](std::vector<std::string>& names) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    if (differs(value, true)) enter(loaded_);
    if (differs(value, false)) enter(names_);
  }

  const SourceTree& tree_;
  std::vector<std::string> names_, loaded_;
};

bool is_constant_memory(const SyntaxNode& declaration) {
  const std::string_view words =
      declaration.text().substr(0, declaration.field("declarator").begin() - declaration.begin());
  const auto has = [words](std::string_view word) {
    return words.find(word) != std::string_view::npos;
  };
  return has("__constant__") || (has("__device__") && (has("const ") || has("constexpr ")));
}

class Tables {
 public:
  Tables(const Subject& subject, const SyntaxNode& kernel)
      : subject_(subject), tree_(subject.tree), kernel_(kernel), varying_(subject.tree, kernel) {}

  std::vector<Table> find() {
    for (const SyntaxNode& declaration : tree_.root().children()) {
      if (declaration.type() == "declaration" && is_constant_memory(declaration)) {
        add_declared(declaration);
      }
    }
    for (const SyntaxNode& parameter : kernel_.field("declarator").field("parameters").children()) {
      if (const auto pointer = read_pointer(tree_, parameter)) add_parameter(*pointer);
    }
    return std::move(tables_);
  }

 private:
  void add_declared(const SyntaxNode& declaration) {
    Table table;
    SyntaxNode declarator = declaration.field("declarator"), value;
    if (tree_.all(declaration, "array_declarator").empty()) return;
    if (declarator.type() == "init_declarator") {
      value = declarator.field("value");
      declarator = declarator.field("declarator");
    }
    std::int64_t elements = 1;
    for (; declarator.type() == "array_declarator"; declarator = declarator.field("declarator")) {
      const SyntaxNode size = declarator.field("size");
      const auto extent = extent_of(size, value);
      if (!extent) return;
      elements *= *extent;
      table.extents.insert(table.extents.begin(),
                           size.valid() ? std::string(size.text()) : std::to_string(*extent));
    }
    if (declarator.type() != "identifier" || table.extents.empty()) return;
    table.name = declarator.text();
    table.type = declaration.field("type").text();
    if (!declared_once(tree_, tree_.root(), table.name)) return;
    add(std::move(table), elements, false);
  }

  /// The size, or the number of initial values of `table[] = {...}`.
  std::optional<std::int64_t> extent_of(const SyntaxNode& size, const SyntaxNode& value) const {
    // Another choice of a tune parameter must not change how large the table is.
    if (size.valid()) return constant_integer(tree_, size, {});
    if (value.type() != "initializer_list") return std::nullopt;
    return static_cast<std::int64_t>(value.children().size());
  }

  void add_parameter(const Pointer& pointer) {
    const auto elements = elements_of(pointer.name);
    if (!elements || !pointer.constant) return;
    if (!pointers_if_only_read(tree_, kernel_, pointer.name)) return;
    const std::string type(pointer.declaration.field("type").text());
    add({pointer.name, type, {std::to_string(*elements)}, {}}, *elements, true);
  }

  /// Of the tensor that the only launch binds to the parameter, when its extents are literal.
  std::optional<std::int64_t> elements_of(std::string_view parameter) const {
    const Launch* launch = only_launch(subject_.candidate.plan, name_of_kernel(kernel_));
    auto parameters = kernel_.field("declarator").field("parameters").children();
    std::erase_if(parameters, [](const SyntaxNode& p) { return p.type() == "comment"; });
    if (!launch) return std::nullopt;
    for (std::size_t k = 0; k < parameters.size() && k < launch->arguments.size(); ++k) {
      const auto* name = std::get_if<std::string>(&launch->arguments[k].value);
      const auto pointer = read_pointer(tree_, parameters[k]);
      if (!name || !pointer || pointer->name != parameter) continue;
      const Tensor* tensor = subject_.task.declaration.find(*name);
      if (!tensor || tensor->shape.empty()) return std::nullopt;
      std::int64_t elements = 1;
      for (const Expr& extent : tensor->shape) {
        const auto value = literal(extent);
        if (!value || *value > kMostBytes || elements > kMostBytes) return std::nullopt;
        elements *= *value;
      }
      return elements;
    }
    return std::nullopt;
  }

  /// Keeps the table when it is small and lanes look it up apart.
  void add(Table table, std::int64_t elements, bool by_data) {
    const std::int64_t bytes = elements * bytes_of_element(table.type);
    if (bytes < 1 || bytes > kMostBytes) return;
    for (const SyntaxNode& name : mentions_of(tree_, kernel_.field("body"), table.name)) {
      SyntaxNode node = name;
      bool apart = false;
      for (std::size_t depth = 0; depth < table.extents.size(); ++depth) {
        const SyntaxNode above = node.parent();
        if (above.type() != "subscript_expression" || !(above.field("argument") == node)) return;
        apart = apart || varying_.differs(above.field("indices"), by_data);
        node = above;
      }
      if (node.parent().type() == "pointer_expression") return;
      if (apart && !fills_shared(node)) table.uses.push_back(node);
    }
    if (!table.uses.empty()) tables_.push_back(std::move(table));
  }

  /// `copy[..] = table[..]` with `copy` in shared memory: each element is looked up once.
  bool fills_shared(const SyntaxNode& use) const {
    const SyntaxNode assignment = use.parent();
    if (assignment.type() != "assignment_expression") return false;
    SyntaxNode target = assignment.field("left");
    while (target.type() == "subscript_expression" || target.type() == "parenthesized_expression" ||
           target.type() == "pointer_expression") {
      target = target.type() == "parenthesized_expression" ? target.children().front()
                                                           : target.field("argument");
    }
    const SyntaxNode declaration = declaration_of(tree_, kernel_, target.text());
    return declaration.valid() && declaration.text().starts_with("__shared__");
  }

  const Subject& subject_;
  const SourceTree& tree_;
  SyntaxNode kernel_;
  Varying varying_;
  std::vector<Table> tables_;
};

/// The thread's number in its block and the number of threads, as text.
std::pair<std::string, std::string> place_in_block(const Plan& plan, std::string_view kernel) {
  const Launch* launch = only_launch(plan, kernel);
  if (launch && literal(launch->block.y) == 1 && literal(launch->block.z) == 1) {
    return {"threadIdx.x", "blockDim.x"};
  }
  return {"threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)",
          "blockDim.x * blockDim.y * blockDim.z"};
}

class TableToShared final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {
        "table_to_shared", diagnose::action::kTableToShared,
        "copies a small table to shared memory at the start of the kernel and looks it up there",
        "a table of constant extent up to 16 KB that is only subscripted, at places that differ "
        "between lanes"};
  }

  RewriteResult apply(const Subject& subject) const override {
    std::vector<Rewritten> versions;
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      if (!concerns(subject, kernel)) continue;
      const auto tables = Tables(subject, kernel).find();
      if (!tables.empty()) versions.push_back(rewritten(subject, kernel, tables));
    }
    if (versions.empty()) return Refusal{"no small table is looked up at places that differ"};
    return versions;
  }

 private:
  static Rewritten rewritten(const Subject& subject, const SyntaxNode& kernel,
                             const std::vector<Table>& tables) {
    const auto [place, threads] = place_in_block(subject.candidate.plan, name_of_kernel(kernel));
    std::string start, names;
    std::vector<std::pair<SyntaxNode, std::string>> arrays;
    for (const Table& table : tables) {
      const std::string copy = unused(subject.tree, table.name + "_shared");
      std::string extents, elements, first;
      for (const std::string& extent : table.extents) {
        extents += "[" + extent + "]";
        elements += fmt::format("{}({})", elements.empty() ? "" : " * ", extent);
        if (table.extents.size() > 1) first += "[0]";
      }
      if (table.extents.size() == 1) elements = table.extents[0];
      const auto element = [&](const std::string& array) {
        return first.empty() ? array + "[slot]" : fmt::format("(&{}{})[slot]", array, first);
      };
      start += fmt::format(
          "\n  __shared__ {} {}{};\n  for (int slot = {}; slot < {}; slot += {}) {{\n"
          "    {} = {};\n  }}",
          table.type, copy, extents, place, elements, threads, element(copy), element(table.name));
      names += (names.empty() ? "" : ", ") + table.name;
      for (const SyntaxNode& use : table.uses) {
        SyntaxNode array = use;
        while (array.type() == "subscript_expression") array = array.field("argument");
        arrays.emplace_back(array, copy);
      }
    }
    Edits edits;
    edits.insert(kernel.field("body").begin() + 1, start + "\n  __syncthreads();");
    for (const auto& [array, copy] : arrays) edits.replace(array, copy);
    return {edits.apply(subject.tree.source()),
            fmt::format("copies {} to shared memory, where lanes look it up side by side", names)};
  }

  static std::string unused(const SourceTree& tree, std::string name) {
    while (mentions(tree, tree.root(), name)) name += "_";
    return name;
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_table_to_shared() { return std::make_unique<TableToShared>(); }

}  // namespace kp::propose
