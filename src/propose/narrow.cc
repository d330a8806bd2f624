// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/index_arithmetic.h"
#include "propose/launches.h"
#include "propose/reduction.h"

namespace kp::propose {
namespace {

constexpr std::int64_t kRoom = std::int64_t{1} << 31;
/// How far threads and tiles may reach beyond an array before a bound stops them, for each element
/// of an extent.
constexpr std::int64_t kOverhang = 1024;

bool is_wide(std::string_view type) {
  return type == "long long" || type == "long" || type == "int64_t" || type == "long long int" ||
         type == "size_t" || type == "uint64_t" || type == "unsigned long long" ||
         type == "unsigned long" || type == "std::size_t" || type == "ptrdiff_t";
}

bool is_unsigned(std::string_view type) {
  return type.starts_with("u") || type.ends_with("size_t");
}

std::string narrow_type(std::string_view type) { return is_unsigned(type) ? "unsigned" : "int"; }

bool is_narrow(std::string_view type) {
  return type == "int" || type == "unsigned" || type == "unsigned int" || type == "int32_t" ||
         type == "uint32_t" || type == "short" || type == "unsigned short";
}

/// The largest product of the extents and what threads reach, over all workloads.
class Extents {
 public:
  explicit Extents(const Subject& subject) : subject_(subject) {}

  bool leave_room() const {
    const auto& workloads = subject_.task.workloads;
    return !workloads.empty() &&
           std::all_of(workloads.begin(), workloads.end(),
                       [&](const auto& w) { return leaves_room(bindings_of(w)); });
  }

  bool fits(const Expr& argument) const {
    return std::all_of(subject_.task.workloads.begin(), subject_.task.workloads.end(),
                       [&](const Workload& workload) {
                         const auto value = argument.evaluate(bindings_of(workload));
                         return value && *value >= 0 && *value < kRoom;
                       });
  }

 private:
  Bindings bindings_of(const Workload& workload) const {
    Bindings bindings = workload.axes;
    bindings.insert(subject_.candidate.tune.begin(), subject_.candidate.tune.end());
    return bindings;
  }

  bool leaves_room(const Bindings& bindings) const {
    std::int64_t most = 0, axis = 1;
    const auto add = [&](const std::vector<Expr>& shape) {
      const auto elements = element_count(shape, bindings);
      if (!elements) return false;
      most = std::max(most, static_cast<std::int64_t>(*elements));
      return true;
    };
    for (const Tensor& tensor : subject_.task.declaration.tensors) {
      if (!add(tensor.shape)) return false;
    }
    for (const ScratchBuffer& buffer : subject_.candidate.plan.buffers) {
      if (!add(buffer.shape)) return false;
    }
    for (const auto& [name, value] : bindings) axis = std::max(axis, value);
    std::int64_t threads = 0;
    for (const Step& step : subject_.candidate.plan.steps) {
      const auto* launch = std::get_if<Launch>(&step);
      if (!launch) continue;
      const auto along = threads_of(*launch, bindings);
      if (!along) return false;
      threads = std::max(threads, *along);
    }
    return axis < kRoom / kOverhang && most + threads + kOverhang * axis < kRoom;
  }

  static std::optional<std::int64_t> threads_of(const Launch& launch, const Bindings& bindings) {
    std::int64_t most = 0;
    const std::pair<const Expr*, const Expr*> axes[] = {{&launch.grid.x, &launch.block.x},
                                                        {&launch.grid.y, &launch.block.y},
                                                        {&launch.grid.z, &launch.block.z}};
    for (const auto& [grid, block] : axes) {
      const auto blocks = grid->evaluate(bindings), size = block->evaluate(bindings);
      if (!blocks || !size || *blocks > kRoom || *size > kRoom) return std::nullopt;
      most = std::max(most, *blocks * *size);
    }
    return most;
  }

  const Subject& subject_;
};

/// Which 64-bit variables of a kernel only make up subscripts and bounds.
class Narrowing {
 public:
  Narrowing(const Subject& subject, const SyntaxNode& kernel)
      : subject_(subject), tree_(subject.tree), kernel_(kernel) {
    for (const std::string_view kind : {"declaration", "parameter_declaration"}) {
      for (const SyntaxNode& declaration : tree_.all(kernel, kind)) add(declaration);
    }
    for (bool fewer = true; fewer;) {
      const std::size_t before = wide_.size();
      std::erase_if(wide_, [&](const SyntaxNode& declaration) { return !may_narrow(declaration); });
      fewer = wide_.size() < before;
    }
  }

  void apply(Edits& edits) const {
    for (const SyntaxNode& declaration : wide_) {
      const SyntaxNode type = declaration.field("type");
      edits.replace(type, narrow_type(type.text()));
    }
    for (const SyntaxNode& cast : tree_.all(kernel_.field("body"), "cast_expression")) {
      const SyntaxNode type = cast.field("type");
      if (is_wide(type.text()) && is_index(cast.field("value")) && is_used_as_index(cast)) {
        edits.replace(type, narrow_type(type.text()));
      }
    }
    for (const SyntaxNode& call : tree_.all(kernel_.field("body"), "call_expression")) {
      const SyntaxNode type = type_of_cast(call);
      if (type.valid() && is_wide(type.text()) && is_index(call) && is_used_as_index(call)) {
        edits.replace(type, narrow_type(type.text()));
      }
    }
  }

 private:
  static std::vector<std::string> names_in(const SyntaxNode& declaration) {
    std::vector<std::string> names;
    for (SyntaxNode part : declaration.children()) {
      if (part.type() == "init_declarator") part = part.field("declarator");
      if (part.type() == "identifier") names.emplace_back(part.text());
    }
    return names;
  }

  void add(const SyntaxNode& declaration) {
    const auto names = names_in(declaration);
    const bool plain = tree_.all(declaration, "pointer_declarator").empty() &&
                       tree_.all(declaration, "array_declarator").empty() &&
                       tree_.all(declaration, "reference_declarator").empty();
    const bool once = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return declared_once(tree_, kernel_, name);
    });
    if (!plain || !once || names.empty() || !is_wide(declaration.field("type").text())) return;
    if (declaration.type() == "parameter_declaration" && !is_bound_below(names.front())) return;
    wide_.push_back(declaration);
  }

  bool is_bound_below(const std::string& parameter) const {
    const Launch* launch = only_launch(subject_.candidate.plan, name_of_kernel(kernel_));
    const Argument* argument = launch ? argument_for(tree_, kernel_, *launch, parameter) : nullptr;
    const auto* value = argument ? std::get_if<Expr>(&argument->value) : nullptr;
    return value && Extents(subject_).fits(*value);
  }

  bool may_narrow(const SyntaxNode& declaration) const {
    for (const SyntaxNode& declarator : tree_.all(declaration, "init_declarator")) {
      if (!is_index(declarator.field("value"))) return false;
    }
    for (const std::string& name : names_in(declaration)) {
      for (const SyntaxNode& mention : mentions_of(tree_, kernel_.field("body"), name)) {
        const SyntaxNode above = mention.parent();
        const bool declares = above == declaration || above.field("declarator") == mention;
        if (!declares && !is_used_as_index(mention)) return false;
        // Below zero an unsigned index wraps at another place.
        if (is_unsigned(declaration.field("type").text()) && is_subtracted(mention)) return false;
      }
    }
    return true;
  }

  static bool is_subtracted(SyntaxNode node) {
    for (; node.valid() && !node.type().ends_with("statement"); node = node.parent()) {
      if (node.type() == "binary_expression" && operator_of(node) == "-") return true;
    }
    return false;
  }

  bool is_narrowed(std::string_view name) const {
    return std::any_of(wide_.begin(), wide_.end(), [&](const SyntaxNode& declaration) {
      const auto names = names_in(declaration);
      return std::find(names.begin(), names.end(), name) != names.end();
    });
  }

  static SyntaxNode type_of_cast(const SyntaxNode& call) {
    const SyntaxNode callee = call.field("function");
    if (callee.type() != "template_function" || !callee.text().starts_with("static_cast<"))
      return {};
    const auto types = callee.field("arguments").children();
    return types.size() == 1 ? types.front() : SyntaxNode{};
  }

  /// A sum, product, quotient or remainder of indices, counts and thread numbers.
  bool is_index(const SyntaxNode& expression) const {
    const SyntaxNode node = without_parentheses(expression);
    const std::string_view type = node.type();
    if (type == "number_literal") return node.text().find('.') == std::string_view::npos;
    if (type == "field_expression") {
      const std::string_view of = node.field("argument").text();
      return of == "threadIdx" || of == "blockIdx" || of == "blockDim" || of == "gridDim";
    }
    if (type == "identifier") return is_integer_name(node.text());
    if (type == "cast_expression") {
      const std::string_view to = node.field("type").text();
      return (is_wide(to) || is_narrow(to)) && is_index(node.field("value"));
    }
    if (type == "call_expression") {
      const SyntaxNode to = type_of_cast(node);
      const auto arguments = node.field("arguments").children();
      return to.valid() && (is_wide(to.text()) || is_narrow(to.text())) && arguments.size() == 1 &&
             is_index(arguments.front());
    }
    if (type != "binary_expression") return false;
    const std::string_view sign = operator_of(node);
    return (sign == "+" || sign == "-" || sign == "*" || sign == "/" || sign == "%") &&
           is_index(node.field("left")) && is_index(node.field("right"));
  }

  bool is_integer_name(std::string_view name) const {
    if (is_narrowed(name)) return true;
    const SyntaxNode declaration = declaration_of(tree_, kernel_, name);
    if (declaration.valid()) {
      return is_narrow(declaration.field("type").text()) && declared_once(tree_, kernel_, name) &&
             tree_.all(declaration, "pointer_declarator").empty();
    }
    const Bindings& tune = subject_.candidate.tune;
    if (tune.find(name) != tune.end()) return true;
    for (const SyntaxNode& macro : tree_.all(tree_.root(), "preproc_def")) {
      if (macro.field("name").text() == name) return true;
    }
    return false;
  }

  /// What the value becomes: part of a subscript, a bound, or another index.
  bool is_used_as_index(const SyntaxNode& node) const {
    const SyntaxNode above = node.parent();
    const std::string_view type = above.type(), sign = operator_of(above);
    if (type == "parenthesized_expression" || type == "cast_expression")
      return is_used_as_index(above);
    if (type == "subscript_argument_list" || type == "update_expression") return true;
    if (type == "argument_list" && type_of_cast(above.parent()).valid()) {
      return is_used_as_index(above.parent());
    }
    if (type == "binary_expression") {
      const bool compares =
          sign.starts_with("<") || sign.starts_with(">") || sign == "==" || sign == "!=";
      if (compares) return sign != "<<" && sign != ">>";
      return (sign == "+" || sign == "-" || sign == "*" || sign == "/" || sign == "%") &&
             is_used_as_index(above);
    }
    if (type == "init_declarator") {
      const SyntaxNode target = above.field("declarator");
      return target.type() == "pointer_declarator" || is_integer_name(target.text());
    }
    if (type != "assignment_expression") return false;
    const bool moves = sign == "=" || sign == "+=" || sign == "-=";
    return moves && above.field("left").type() == "identifier" &&
           is_integer_name(above.field("left").text()) && is_index(above.field("right"));
  }

  const Subject& subject_;
  const SourceTree& tree_;
  SyntaxNode kernel_;
  std::vector<SyntaxNode> wide_;
};

}  // namespace

std::optional<std::string> narrow_indices(const Subject& subject, const SyntaxNode& kernel) {
  if (!Extents(subject).leave_room() || !subject.tree.all(kernel, "ERROR").empty())
    return std::nullopt;
  Edits edits;
  Narrowing(subject, kernel).apply(edits);
  return edits.empty() ? std::nullopt : std::optional(edits.apply(subject.tree.source()));
}

}  // namespace kp::propose
