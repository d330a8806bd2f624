// SPDX-License-Identifier: Apache-2.0
#include "propose/contraction.h"

#include <algorithm>
#include <array>

#include "propose/contraction_operands.h"
#include "propose/effects.h"
#include "propose/reduction.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

constexpr std::array<std::string_view, 4> kBuiltIns{"threadIdx", "blockIdx", "blockDim", "gridDim"};
constexpr std::array<std::string_view, 3> kSumTypes{"float", "int", "unsigned"};

class Matcher {
 public:
  Matcher(const SourceTree& tree, const SyntaxNode& kernel) : tree_(tree), shape_(tree) {
    shape_.kernel = kernel;
  }

  std::variant<Contraction, Refusal> match() {
    const SyntaxNode body = shape_.kernel.field("body");
    if (communicates(tree_, body) || body.text().find("__shared__") != std::string_view::npos) {
      return Refusal{"its threads talk to each other already"};
    }
    shape_.begin = body.begin() + 1;
    shape_.end = body.end() - 1;
    if (!read_block(statements_of(body))) return Refusal{why_};
    return std::move(shape_);
  }

 private:
  bool no(std::string why) {
    why_ = std::move(why);
    return false;
  }

  /// Statements up to the loop, the loop, and what follows.
  bool read_block(const std::vector<SyntaxNode>& statements) {
    for (std::size_t i = 0; i < statements.size(); ++i) {
      const SyntaxNode& statement = statements[i];
      if (statement.type() == "declaration") {
        if (!shape_.locals.read(statement)) return no("a declaration before the loop is not plain");
      } else if (statement.type() == "if_statement") {
        if (is_return(statement.field("consequence"))) {
          if (!read_guard(statement, "||", true)) return false;
          continue;
        }
        if (i + 1 != statements.size()) return no("not all of it is under the bounds check");
        return read_guard(statement, "&&", false) &&
               read_block(statements_of(statement.field("consequence")));
      } else {
        shape_.epilogue.assign(statements.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                               statements.end());
        return read_loop(statement) && check_rest();
      }
    }
    return no("it has no loop that sums products");
  }

  bool read_guard(const SyntaxNode& guard, std::string_view conjunction, bool leaves) {
    if (guard.field("alternative").valid()) return no("its bounds check has an else");
    return read_terms(guard.field("condition"), conjunction, leaves);
  }

  bool read_terms(const SyntaxNode& condition, std::string_view conjunction, bool leaves) {
    const SyntaxNode node = without_parentheses(condition);
    if (node.type() != "binary_expression") return no("its bounds check is no comparison");
    const SyntaxNode left = node.field("left"), right = node.field("right");
    const std::string_view sign = operator_of(node);
    if (sign == conjunction) {
      return read_terms(left, conjunction, leaves) && read_terms(right, conjunction, leaves);
    }
    const std::string_view upright = leaves ? ">=" : "<", mirrored = leaves ? "<=" : ">";
    if (sign == upright) return add_bound(left, right);
    return sign == mirrored ? add_bound(right, left) : no("its bounds check is no upper bound");
  }

  bool add_bound(const SyntaxNode& index, const SyntaxNode& bound) {
    const Local* local = shape_.locals.find(index.text());
    const char axis = local ? thread_index_axis(local->value) : '\0';
    if (axis == 0 || axis == 'z') return no("it checks something else than its two thread indices");
    OutputIndex& output = axis == 'x' ? shape_.column : shape_.row;
    if (!output.name.empty()) return no("an index is checked twice");
    if (!is_uniform(bound)) return no("the bound of an index differs between threads");
    output = {local->name, plain_type(local->type), axis, operand_text(bound)};
    return true;
  }

  static std::string plain_type(std::string type) {
    if (type.starts_with("const ")) type.erase(0, 6);
    return type;
  }

  static std::string operand_text(const SyntaxNode& node) {
    const std::string text(node.text());
    const bool simple = node.type() == "identifier" || node.type() == "number_literal" ||
                        node.type() == "parenthesized_expression";
    return simple ? text : "(" + text + ")";
  }

  /// The same in all threads of a block wherever it stands, and made of what is known everywhere.
  bool is_uniform(const SyntaxNode& node) const {
    const auto& locals = shape_.locals.all();
    return is_invariant(tree_, node, shape_.kernel.field("body")) &&
           std::none_of(locals.begin(), locals.end(),
                        [&](const Local& local) { return mentions(tree_, node, local.name); });
  }

  bool read_loop(const SyntaxNode& statement) {
    if (shape_.row.name.empty() || shape_.column.name.empty()) {
      return no("it does not check two thread indices against bounds");
    }
    const auto loop = match_counted_loop(tree_, statement);
    if (!loop || loop->type.empty() || loop->step != "1")
      return no("its loop does not count by one");
    if (!is_uniform(loop->first) || !is_uniform(loop->bound)) {
      return no("threads of a block sum over different ranges");
    }
    shape_.loop = *loop;
    shape_.extent = operand_text(loop->bound);
    if (loop->inclusive) shape_.extent = "(" + shape_.extent + " + 1)";
    const auto statements = statements_of(loop->body);
    for (std::size_t i = 0; i + 1 < statements.size(); ++i) {
      const bool plain = statements[i].type() == "declaration" && shape_.locals.read(statements[i]);
      if (!plain) return no("its loop does more than to sum products");
    }
    return !statements.empty() && read_sum(statements.back());
  }

  bool read_sum(const SyntaxNode& statement) {
    const auto step = match_accumulation(statement);
    if (!step || step->combine != Combine::kAdd || step->target.type() != "identifier") {
      return no("its loop does more than to sum products");
    }
    const Local* sum = shape_.locals.find(step->target.text());
    if (!sum || std::find(kSumTypes.begin(), kSumTypes.end(), sum->type) == kSumTypes.end()) {
      return no("its sum is no local variable of type float or int");
    }
    shape_.sum = *sum;
    const auto refusal = read_operands(tree_, *step, statement, shape_);
    return !refusal || no(refusal->why);
  }

  bool check_rest() {
    if (shape_.epilogue.empty()) return no("nothing follows its loop");
    for (const SyntaxNode& statement : shape_.epilogue) {
      for (const std::string_view kind : {"return_statement", "goto_statement"}) {
        if (statement.type() == kind || !tree_.all(statement, kind).empty()) {
          return no("it returns early after its loop");
        }
      }
    }
    return check_locals() && check_assignments() && check_built_ins();
  }

  /// What the epilogue of one output assigns must not be seen by the next one.
  bool check_assignments() {
    for (const SyntaxNode& statement : shape_.epilogue) {
      for (const std::string_view kind : {"assignment_expression", "update_expression"}) {
        for (const SyntaxNode& change : tree_.all(statement, kind)) {
          const SyntaxNode target = change.field(kind[0] == 'a' ? "left" : "argument");
          if (target.type() != "identifier" || target.text() == shape_.sum.name) continue;
          if (!is_declared_in_epilogue(target.text())) {
            return no("'" + std::string(target.text()) + "' changes after the loop");
          }
        }
      }
    }
    return true;
  }

  bool is_declared_in_epilogue(std::string_view name) const {
    return std::any_of(shape_.epilogue.begin(), shape_.epilogue.end(),
                       [&](const SyntaxNode& s) { return declaration_of(tree_, s, name).valid(); });
  }

  bool check_locals() {
    const SyntaxNode body = shape_.kernel.field("body");
    for (const Local& local : shape_.locals.all()) {
      // Storing through a pointer does not move it, and check_assignments() sees what does.
      const bool pointer = local.text.find('*') < local.text.find('=');
      const bool changes =
          !pointer && local.name != shape_.sum.name && may_change(tree_, body, local.name);
      if (changes || !declared_once(tree_, shape_.kernel, local.name)) {
        return no("'" + local.name + "' changes or is declared twice");
      }
      const bool early =
          local.name != shape_.sum.name && mentions(tree_, local.value, shape_.sum.name);
      if (early) return no("its sum is used before the loop");
    }
    return declared_once(tree_, shape_.kernel, shape_.loop.index) ||
           no("'" + shape_.loop.index + "' is declared twice");
  }

  /// Blocks and threads are numbered anew: only the batch in blockIdx.z may stay.
  bool check_built_ins() {
    const auto own = [this](const OutputIndex& index) {
      const SyntaxNode value = shape_.locals.find(index.name)->value;
      return std::pair(value.begin(), value.end());
    };
    const auto row = own(shape_.row), column = own(shape_.column);
    for (const SyntaxNode& field : tree_.all(shape_.kernel.field("body"), "identifier")) {
      if (std::find(kBuiltIns.begin(), kBuiltIns.end(), field.text()) == kBuiltIns.end()) continue;
      const auto within = [&field](const auto& range) {
        return field.begin() >= range.first && field.end() <= range.second;
      };
      const bool batch = field.parent().text() == "blockIdx.z";
      if (!batch && !within(row) && !within(column)) {
        return no("it uses " + std::string(field.text()) + " for more than its two indices");
      }
    }
    return true;
  }

  const SourceTree& tree_;
  Contraction shape_;
  std::string why_ = "it has no loop that sums products";
};

}  // namespace

std::variant<Contraction, Refusal> match_contraction(const SourceTree& tree,
                                                     const SyntaxNode& kernel) {
  return Matcher(tree, kernel).match();
}

}  // namespace kp::propose
