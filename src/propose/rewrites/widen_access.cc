// SPDX-License-Identifier: Apache-2.0
// Sees: an element-wise kernel whose threads load or store one narrow element each.
// Does: gives each thread 2 to 16 consecutive elements, loaded and stored as one 64- or 128-bit
// access
//   where addresses allow, element by element at the ragged end.
// Refuses: kernels of another shape; arrays that are both stored at the index and read elsewhere;
// stores
//   under a condition or in a loop; a grid that is not ceil_div(.., ..) along x.
#include <fmt/format.h>

#include <algorithm>

#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/elementwise.h"

namespace kp::propose {
namespace {

/// An array that the body touches at an index that moves with the thread index one to one.
struct Lane {
  PointerParameter pointer;
  std::string index;  // the index variable or an alias of it
  bool loaded = false, stored = false;
  std::vector<SyntaxNode> uses;
};

/// `alias = ... + index + ...`: a sum in which the index stands once, as a whole operand.
bool is_sum_with(const SourceTree& tree, const SyntaxNode& node, std::string_view index) {
  if (node.type() == "identifier") return node.text() == index;
  if (node.type() == "parenthesized_expression") {
    return is_sum_with(tree, node.children().front(), index);
  }
  if (node.type() != "binary_expression") return false;
  const SyntaxNode left = node.field("left"), right = node.field("right");
  if (operator_of(node) != "+") return false;
  const bool in_left = mentions(tree, left, index), in_right = mentions(tree, right, index);
  return in_left != in_right && is_sum_with(tree, in_left ? left : right, index);
}

class Widening {
 public:
  Widening(const SourceTree& tree, const Elementwise& shape) : tree_(tree), shape_(shape) {}

  /// Finds aliases and lanes; false when the body does something that does not fit.
  bool analyse() {
    find_aliases();
    for (const PointerParameter& pointer : pointer_parameters(tree_, shape_.kernel)) {
      if (!add_lane(pointer)) return false;
    }
    return !lanes_.empty();
  }

  unsigned widest_element() const {
    unsigned bytes = 0;
    for (const Lane& lane : lanes_) bytes = std::max(bytes, lane.pointer.element_bytes);
    return bytes;
  }

  /// The kernel's text from the index declaration on, for `count` elements a thread.
  std::string source(unsigned count) const {
    Edits edits;
    const std::string first = shape_.index.name + "_first";
    const SyntaxNode declaration = shape_.index.declaration;
    const std::string type(declaration.field("type").text());
    edits.replace(declaration,
                  fmt::format("{} {} = ({}) * {};", type, first, shape_.index.value.text(), count));
    const SyntaxNode block = shape_.kernel.field("body");
    edits.replace(shape_.guard.begin(), block.end() - 1, wide_text(type, first, count));
    return edits.apply(tree_.source());
  }

 private:
  void find_aliases() {
    for (const LocalVariable& local : initialised_locals(tree_, shape_.kernel)) {
      const auto& body = shape_.body;
      const bool top = std::find(body.begin(), body.end(), local.declaration) != body.end();
      if (top && is_sum_with(tree_, local.value, shape_.index.name)) aliases_.push_back(local);
    }
  }

  bool is_lane_index(std::string_view text) const {
    return text == shape_.index.name ||
           std::any_of(aliases_.begin(), aliases_.end(),
                       [text](const LocalVariable& alias) { return alias.name == text; });
  }

  static bool is_store(const SyntaxNode& use) {
    const SyntaxNode above = use.parent();
    return (above.type() == "assignment_expression" && above.field("left") == use) ||
           above.type() == "update_expression";
  }

  /// A statement of the body itself, not one below an if or a loop.
  bool unconditional(const SyntaxNode& use) const {
    const SyntaxNode statement = use.parent().parent();
    return statement.type() == "expression_statement" &&
           std::find(shape_.body.begin(), shape_.body.end(), statement) != shape_.body.end();
  }

  bool add_lane(const PointerParameter& pointer) {
    Lane lane{pointer, "", false, false, {}};
    bool elsewhere = false;
    for (const SyntaxNode& name : tree_.all(shape_.kernel.field("body"), "identifier")) {
      if (name.text() != pointer.name) continue;
      const SyntaxNode use = name.parent();
      const bool indexed = use.type() == "subscript_expression" && use.children().front() == name;
      const auto list = indexed ? use.children().back().text() : std::string_view{};
      const std::string index = indexed ? squeezed(list.substr(1, list.size() - 2)) : "";
      if (!indexed || !is_lane_index(index) || (!lane.index.empty() && index != lane.index)) {
        elsewhere = true;
        continue;
      }
      lane.index = index;
      lane.uses.push_back(use);
      const bool store = is_store(use);
      if (store && !unconditional(use)) return false;
      const bool plain =
          store && use.parent().type() == "assignment_expression" &&
          squeezed(use.parent().text()).substr(squeezed(use.text()).size(), 1) == "=";
      lane.stored = lane.stored || store;
      lane.loaded = lane.loaded || !plain;
    }
    if (lane.stored && elsewhere) return false;
    if (!lane.uses.empty()) lanes_.push_back(std::move(lane));
    return true;
  }

  std::string wide_text(const std::string& type, const std::string& first, unsigned count) const {
    const std::string& index = shape_.index.name;
    std::string text =
        fmt::format("if ({} < {}) {{\n    {} {} = {};\n", first, shape_.bound, type, index, first);
    for (const LocalVariable& alias : aliases_)
      text += fmt::format("    {}\n", alias.declaration.text());
    std::string aligned = fmt::format("{} + {} <= {}", first, count, shape_.bound);
    for (const Lane& lane : lanes_) {
      aligned += fmt::format(" &&\n        reinterpret_cast<unsigned long long>({} + {}) % {} == 0",
                             lane.pointer.name, lane.index, count * lane.pointer.element_bytes);
    }
    text += fmt::format("    if ({}) {{\n{}", aligned, loads(count));
    text += fmt::format("#pragma unroll\n      for (int lane = 0; lane < {}; ++lane) {{\n", count);
    if (needed_on_lanes(index, aliases_.size())) {
      text += fmt::format("        {} {} = {} + lane;\n", type, index, first);
    }
    text += fmt::format("{}\n      }}\n{}    }} else {{\n", reindented(body_on_lanes(), 8),
                        stores(count));
    text += fmt::format(
        "      for ({0} {1} = {2}; {1} < {3} && {1} < {2} + {4}; ++{1}) {{\n{5}\n"
        "      }}\n    }}\n  }}\n",
        type, index, first, shape_.bound, count, reindented(body_text(), 8));
    return text;
  }

  /// Whether the body still names `name` once lanes stand for array elements. `before`: of the
  /// aliases, only those that were declared later can depend on it.
  bool needed_on_lanes(std::string_view name, std::size_t before) const {
    for (const SyntaxNode& statement : shape_.body) {
      for (const SyntaxNode& mention : tree_.all(statement, "identifier")) {
        if (mention.text() == name && !vanishes(mention, name, before)) return true;
      }
    }
    return false;
  }

  bool vanishes(const SyntaxNode& mention, std::string_view name, std::size_t before) const {
    const auto inside = [&mention](const SyntaxNode& node) {
      return mention.begin() >= node.begin() && mention.end() <= node.end();
    };
    for (const Lane& lane : lanes_) {
      if (std::any_of(lane.uses.begin(), lane.uses.end(), inside)) return true;
    }
    for (std::size_t i = 0; i < before; ++i) {
      if (!inside(aliases_[i].declaration)) continue;
      return aliases_[i].name == name || !needed_on_lanes(aliases_[i].name, i + 1);
    }
    return false;
  }

  std::string body_text() const {
    return tree_.source().substr(shape_.body_begin, shape_.body_end - shape_.body_begin);
  }

  std::string body_on_lanes() const {
    Edits edits;
    for (const Lane& lane : lanes_) {
      for (const SyntaxNode& use : lane.uses) {
        edits.replace(use.begin() - shape_.body_begin, use.end() - shape_.body_begin,
                      lane.pointer.name + "_lane[lane]");
      }
    }
    for (const LocalVariable& alias : aliases_) {
      if (needed_on_lanes(alias.name, aliases_.size())) continue;
      const std::string& source = tree_.source();
      const std::size_t next = source.find_first_not_of(" \n", alias.declaration.end());
      edits.replace(alias.declaration.begin() - shape_.body_begin, next - shape_.body_begin, "");
    }
    return edits.apply(body_text());
  }

  static std::string_view wide_type(unsigned bytes) {
    switch (bytes) {
      case 16:
        return "uint4";
      case 8:
        return "uint2";
      case 4:
        return "unsigned int";
      default:
        return "unsigned short";
    }
  }

  std::string loads(unsigned count) const {
    std::string text;
    for (const Lane& lane : lanes_) {
      const unsigned bytes = count * lane.pointer.element_bytes;
      text += fmt::format("      alignas({}) {} {}_lane[{}];\n", std::min(bytes, 16u),
                          lane.pointer.element, lane.pointer.name, count);
      if (!lane.loaded) continue;
      text += fmt::format(
          "      *reinterpret_cast<{0}*>({1}_lane) = *reinterpret_cast<const {0}*>({1} + {2});\n",
          wide_type(bytes), lane.pointer.name, lane.index);
    }
    return text;
  }

  std::string stores(unsigned count) const {
    std::string text;
    for (const Lane& lane : lanes_) {
      if (!lane.stored) continue;
      text += fmt::format(
          "      *reinterpret_cast<{0}*>({1} + {2}) = *reinterpret_cast<const {0}*>({1}_lane);\n",
          wide_type(count * lane.pointer.element_bytes), lane.pointer.name, lane.index);
    }
    return text;
  }

  const SourceTree& tree_;
  const Elementwise& shape_;
  std::vector<LocalVariable> aliases_;
  std::vector<Lane> lanes_;
};

class WidenAccess final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"widen_access", diagnose::action::kWidenAccess,
            "gives each thread consecutive elements, moved by 64- or 128-bit accesses",
            "an element-wise kernel whose grid is ceil_div along x"};
  }

  RewriteResult apply(const Subject& subject) const override {
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      if (subject.finding && subject.finding->kernel != name_of_kernel(kernel)) continue;
      const auto shape = match_elementwise(subject.tree, kernel);
      if (!shape) continue;
      Widening widening(subject.tree, *shape);
      if (!widening.analyse()) continue;
      auto versions = widen(subject, widening, name_of_kernel(kernel));
      if (!versions.empty()) return versions;
    }
    return Refusal{"no kernel is element-wise with a grid of ceil_div along x"};
  }

 private:
  static std::vector<Rewritten> widen(const Subject& subject, const Widening& widening,
                                      std::string_view kernel) {
    std::vector<Rewritten> versions;
    for (const unsigned bytes : {16u, 8u}) {
      const unsigned count = bytes / widening.widest_element();
      Plan plan = subject.candidate.plan;
      Launch* launch = only_launch(plan, kernel);
      const auto grid = launch ? divisor_times(launch->grid.x, count) : std::nullopt;
      if (count < 2 || !grid) continue;
      launch->grid.x = *grid;
      auto source = task::replace_plan(widening.source(count), subject.candidate.file, plan);
      if (!source) continue;
      versions.push_back(
          {*std::move(source), fmt::format("gives each thread of {} {} elements in {}-bit accesses",
                                           kernel, count, bytes * 8)});
    }
    return versions;
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_widen_access() { return std::make_unique<WidenAccess>(); }

}  // namespace kp::propose
