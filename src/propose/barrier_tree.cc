// SPDX-License-Identifier: Apache-2.0
#include "propose/barrier_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "propose/effects.h"
#include "propose/loops.h"
#include "propose/shared_array.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

/// The first operand of `x OP operand`, for OP one of the two; invalid for other expressions.
SyntaxNode left_of(const SyntaxNode& expression, std::string_view op, std::string_view operand) {
  const SyntaxNode node = without_parentheses(expression);
  const bool fits = node.type() == "binary_expression" && operator_of(node) == op &&
                    node.field("right").text() == operand;
  return fits ? node.field("left") : SyntaxNode{};
}

struct Header {
  std::string variable;
  SyntaxNode first, condition, update;
};

std::optional<Header> read_header(const SyntaxNode& loop) {
  const SyntaxNode initialiser = loop.field("initializer");
  Header header{"", {}, without_parentheses(loop.field("condition")), loop.field("update")};
  if (initialiser.type() == "declaration") {
    const SyntaxNode declarator = initialiser.field("declarator");
    if (declarator.type() != "init_declarator") return std::nullopt;
    header.variable = declarator.field("declarator").text();
    header.first = declarator.field("value");
  } else if (initialiser.type() == "assignment_expression") {
    header.variable = initialiser.field("left").text();
    header.first = initialiser.field("right");
  }
  if (header.variable.empty() || !header.condition.valid() || !header.update.valid())
    return std::nullopt;
  return header;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// `if (...) { a[t] op= a[t + s]; ... }`: the arrays, when the source is `distance` from the
/// target.
std::vector<BarrierTree::Array> match_steps(const SyntaxNode& branch, const std::string& target,
                                            const std::string& distance) {
  std::vector<BarrierTree::Array> arrays;
  if (branch.field("alternative").valid()) return {};
  const SyntaxNode then = branch.field("consequence");
  const auto steps = statements_of(then);
  for (const SyntaxNode& step : steps) {
    const auto one = match_accumulation(step);
    if (!one || !one->value || one->target.type() != "subscript_expression") return {};
    const std::string name(one->target.field("argument").text());
    const std::string value = squeezed(without_parentheses(*one->value).text());
    const bool there = value == fmt::format("{}[{}+{}]", name, target, distance) ||
                       value == fmt::format("{}[{}+{}]", name, distance, target);
    if (squeezed(one->target.text()) != fmt::format("{}[{}]", name, target) || !there) return {};
    arrays.push_back({name, one->combine});
  }
  return arrays;
}

class Finder {
 public:
  Finder(const SourceTree& tree, const FlatBlock& block) : tree_(tree), block_(block) {}

  std::optional<BarrierTree> match_loop(const SyntaxNode& loop) const {
    const auto header = read_header(loop);
    const auto body = statements_of(loop.field("body"));
    if (!header || body.size() < 2 || !is_block_barrier(body.back())) return std::nullopt;
    auto arrays = halves(*header) ? match_halving(*header, body) : match_doubling(*header, body);
    if (arrays.empty()) return std::nullopt;
    return BarrierTree{loop.parent(), loop.begin(), loop.end(), std::move(arrays)};
  }

  /// `statements[at]` onwards; `at` moves behind the tree.
  std::optional<BarrierTree> match_unrolled(const std::vector<SyntaxNode>& statements,
                                            std::size_t& at) const {
    BarrierTree found{statements[at].parent(), statements[at].begin(), 0, {}};
    std::optional<std::int64_t> distance;
    std::size_t next = at;
    for (; next < statements.size(); next += 2) {
      const SyntaxNode branch = statements[next];
      const auto limit = limit_of(branch);
      if (!limit || (distance ? *limit * 2 != *distance : !is_half(branch))) break;
      auto arrays = match_steps(branch, thread_of(branch), limit_text(branch));
      const bool same = found.arrays.empty() || same_arrays(found.arrays, arrays);
      if (arrays.empty() || !same || next + 1 >= statements.size()) break;
      if (!is_block_barrier(statements[next + 1]) && !is_warp_barrier(statements[next + 1])) break;
      found.arrays = std::move(arrays);
      found.end = statements[next + 1].end();
      distance = limit;
    }
    if (distance != 1) return std::nullopt;
    at = next;
    return found;
  }

 private:
  /// s = size / 2; s > 0; s /= 2
  bool halves(const Header& header) const {
    const std::string update = squeezed(header.update.text()), &s = header.variable;
    const std::string condition = squeezed(header.condition.text());
    if (!is_one_of(update, {s + "/=2", s + ">>=1", s + "=" + s + "/2", s + "=" + s + ">>1"}))
      return false;
    if (!is_one_of(condition, {s + ">0", s + ">=1", s + "!=0", "0<" + s, s})) return false;
    return is_half_of_block(header.first);
  }

  bool is_half_of_block(const SyntaxNode& expression) const {
    for (const auto& [op, operand] : {std::pair("/", "2"), std::pair(">>", "1")}) {
      const SyntaxNode whole = left_of(expression, op, operand);
      if (whole.valid() && block_.is_size(whole)) return true;
    }
    const auto value = constant_integer(tree_, expression, {});
    return value && block_.is_size_value(*value * 2);
  }

  std::vector<BarrierTree::Array> match_halving(const Header& header,
                                                const std::vector<SyntaxNode>& body) const {
    const SyntaxNode branch = body.front();
    if (body.size() != 2 || branch.type() != "if_statement") return {};
    const std::string thread = thread_of(branch);
    if (thread.empty() || limit_text(branch) != header.variable) return {};
    return match_steps(branch, thread, header.variable);
  }

  /// s = 1; s < size; s *= 2
  std::vector<BarrierTree::Array> match_doubling(const Header& header,
                                                 const std::vector<SyntaxNode>& body) const {
    const std::string& s = header.variable;
    const std::string update = squeezed(header.update.text());
    if (!is_one_of(update, {s + "*=2", s + "<<=1", s + "=" + s + "*2", s + "+=" + s}) ||
        header.first.text() != "1" || operator_of(header.condition) != "<" ||
        header.condition.field("left").text() != s ||
        !block_.is_size(header.condition.field("right"))) {
      return {};
    }
    if (body.size() == 2 && body[0].type() == "if_statement") {
      const std::string thread = picked_thread(body[0], s);
      return thread.empty() ? std::vector<BarrierTree::Array>{} : match_steps(body[0], thread, s);
    }
    return body.size() == 3 ? match_packed(body, s) : std::vector<BarrierTree::Array>{};
  }

  /// The thread of t % (2 * s) == 0 or (t & (2 * s - 1)) == 0.
  std::string picked_thread(const SyntaxNode& branch, const std::string& s) const {
    const SyntaxNode condition = without_parentheses(branch.field("condition"));
    const SyntaxNode rest = left_of(condition, "==", "0");
    if (!rest.valid()) return "";
    const SyntaxNode test = without_parentheses(rest);
    const bool modulo = operator_of(test) == "%", mask = operator_of(test) == "&";
    if (test.type() != "binary_expression" || (!modulo && !mask)) return "";
    const std::string period = squeezed(without_parentheses(test.field("right")).text());
    const std::string tail = mask ? "-1" : "";
    if (!is_one_of(period, {"2*" + s + tail, s + "*2" + tail, "(2*" + s + ")" + tail}) ||
        !block_.is_thread(test.field("left"))) {
      return "";
    }
    return squeezed(test.field("left").text());
  }

  /// int index = 2 * s * t; if (index < size) a[index] += a[index + s];
  std::vector<BarrierTree::Array> match_packed(const std::vector<SyntaxNode>& body,
                                               const std::string& s) const {
    const SyntaxNode declarator = body[0].field("declarator");
    if (body[0].type() != "declaration" || declarator.type() != "init_declarator" ||
        body[1].type() != "if_statement") {
      return {};
    }
    const std::string index(declarator.field("declarator").text());
    const SyntaxNode product = declarator.field("value");
    const SyntaxNode condition = without_parentheses(body[1].field("condition"));
    if (product.type() != "binary_expression" || operator_of(product) != "*" ||
        condition.type() != "binary_expression" || operator_of(condition) != "<" ||
        condition.field("left").text() != index || !block_.is_size(condition.field("right")) ||
        !block_.is_thread(product.field("right"))) {
      return {};
    }
    const std::string twice = squeezed(without_parentheses(product.field("left")).text());
    if (!is_one_of(twice, {"2*" + s, s + "*2"})) return {};
    return match_steps(body[1], index, s);
  }

  /// t and K of `if (t < K)`, as text: the grammar reads `threadIdx.x < K` as a template.
  std::pair<std::string, std::string> sides_of(const SyntaxNode& branch) const {
    const SyntaxNode clause = branch.field("condition");
    const std::string text = squeezed(without_parentheses(clause).text());
    const std::size_t sign = text.find_first_of("<>");
    if (sign == std::string::npos || text.find_first_of("<>=", sign + 1) != std::string::npos)
      return {};
    std::string thread = text.substr(0, sign), limit = text.substr(sign + 1);
    if (text[sign] == '>') std::swap(thread, limit);
    const auto names = tree_.all(clause, "identifier");
    const bool is_thread = std::any_of(names.begin(), names.end(), [&](const SyntaxNode& name) {
      return name.text() == thread && block_.is_thread(name);
    });
    if (thread != "threadIdx.x" && !is_thread) return {};
    return {thread, limit};
  }
  std::string thread_of(const SyntaxNode& branch) const { return sides_of(branch).first; }
  std::string limit_text(const SyntaxNode& branch) const { return sides_of(branch).second; }
  std::optional<std::int64_t> limit_of(const SyntaxNode& branch) const {
    if (branch.type() != "if_statement") return std::nullopt;
    const std::string limit = limit_text(branch);
    return limit.empty() ? std::nullopt : constant_value(tree_, limit);
  }
  bool is_half(const SyntaxNode& branch) const {
    const auto limit = limit_of(branch);
    return limit && block_.is_size_value(*limit * 2);
  }

  static bool is_warp_barrier(const SyntaxNode& statement) {
    return squeezed(statement.text()) == "__syncwarp();";
  }
  static bool same_arrays(const std::vector<BarrierTree::Array>& one,
                          const std::vector<BarrierTree::Array>& other) {
    return std::equal(
        one.begin(), one.end(), other.begin(), other.end(),
        [](const auto& a, const auto& b) { return a.name == b.name && a.combine == b.combine; });
  }

  const SourceTree& tree_;
  const FlatBlock& block_;
};

}  // namespace

std::vector<BarrierTree> barrier_trees(const SourceTree& tree, const SyntaxNode& function,
                                       const FlatBlock& block) {
  const Finder finder(tree, block);
  std::vector<BarrierTree> found;
  for (const SyntaxNode& loop : tree.all(function.field("body"), "for_statement")) {
    if (auto one = finder.match_loop(loop)) found.push_back(*std::move(one));
  }
  auto blocks = tree.all(function.field("body"), "compound_statement");
  blocks.push_back(function.field("body"));
  for (const SyntaxNode& statements : blocks) {
    const auto list = statements_of(statements);
    for (std::size_t at = 0; at < list.size(); ++at) {
      std::size_t behind = at;
      auto one = finder.match_unrolled(list, behind);
      if (!one) continue;
      found.push_back(*std::move(one));
      at = behind - 1;
    }
  }
  std::sort(found.begin(), found.end(),
            [](const BarrierTree& a, const BarrierTree& b) { return a.begin < b.begin; });
  return found;
}

}  // namespace kp::propose
