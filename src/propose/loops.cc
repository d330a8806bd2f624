// SPDX-License-Identifier: Apache-2.0
#include "propose/loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "propose/effects.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

constexpr int kMostConstantDepth = 16;

bool is_loop(std::string_view type) {
  return type == "for_statement" || type == "while_statement" || type == "do_statement" ||
         type == "for_range_loop";
}

/// `int i = FIRST` or `i = FIRST`.
bool match_first(const SyntaxNode& initialiser, CountedLoop& loop) {
  if (initialiser.type() == "assignment_expression") {
    if (initialiser.field("operator").text() != "=") return false;
    loop.index = initialiser.field("left").text();
    loop.first = initialiser.field("right");
    return initialiser.field("left").type() == "identifier";
  }
  if (initialiser.type() != "declaration") return false;
  const auto parts = initialiser.children();
  const auto declarators = std::count_if(parts.begin(), parts.end(), [](const SyntaxNode& part) {
    return part.type().ends_with("declarator") || part.type() == "identifier";
  });
  const SyntaxNode declarator = initialiser.field("declarator");
  if (declarators != 1 || declarator.type() != "init_declarator") return false;
  if (declarator.field("declarator").type() != "identifier") return false;
  loop.index = declarator.field("declarator").text();
  loop.first = declarator.field("value");
  loop.type = initialiser.field("type").text();
  return true;
}

bool match_bound(const SyntaxNode& comparison, CountedLoop& loop) {
  const SyntaxNode condition = without_parentheses(comparison);
  if (condition.type() != "binary_expression") return false;
  const SyntaxNode left = condition.field("left"), right = condition.field("right");
  const std::string_view sign = condition.field("operator").text();
  const bool upright = left.text() == loop.index && (sign == "<" || sign == "<=");
  const bool mirrored = right.text() == loop.index && (sign == ">" || sign == ">=");
  if (!upright && !mirrored) return false;
  loop.inclusive = sign.size() == 2;
  loop.bound = upright ? right : left;
  return true;
}

/// The text of what `update` adds to the index; empty when it does something else.
std::string step_of(const SyntaxNode& update, const std::string& index) {
  if (update.type() == "update_expression") {
    const bool rises = update.field("operator").text() == "++";
    return rises && update.field("argument").text() == index ? "1" : "";
  }
  if (update.type() != "assignment_expression" || update.field("left").text() != index) return "";
  const SyntaxNode right = update.field("right");
  if (update.field("operator").text() == "+=") return std::string(right.text());
  if (update.field("operator").text() != "=" || right.type() != "binary_expression") return "";
  if (right.field("operator").text() != "+") return "";
  if (right.field("left").text() == index) return std::string(right.field("right").text());
  return right.field("right").text() == index ? std::string(right.field("left").text()) : "";
}

/// A step that surely rises: no subtraction in it, no negative literal.
bool rises(const std::string& step) {
  return !step.empty() && step != "0" && step.find('-') == std::string::npos;
}

SyntaxNode owner_of_jump(SyntaxNode jump, bool switches_too) {
  for (jump = jump.parent(); jump.valid(); jump = jump.parent()) {
    if (is_loop(jump.type()) || (switches_too && jump.type() == "switch_statement")) return jump;
  }
  return jump;
}

bool leaves_early(const SourceTree& tree, const SyntaxNode& loop) {
  for (const std::string_view kind :
       {"return_statement", "goto_statement", "labeled_statement", "co_return_statement"}) {
    if (!tree.all(loop, kind).empty()) return true;
  }
  const auto breaks = tree.all(loop, "break_statement");
  return std::any_of(breaks.begin(), breaks.end(),
                     [&](const SyntaxNode& jump) { return owner_of_jump(jump, true) == loop; });
}

std::optional<std::int64_t> integer_literal(std::string_view text) {
  while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  int radix = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    radix = 16;
  } else if (text.size() > 1 && text.front() == '0') {
    return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, radix);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// Applies a binary operator; nothing on overflow, division by zero and unknown operators.
std::optional<std::int64_t> combine(std::string_view sign, std::int64_t a, std::int64_t b) {
  std::int64_t value = 0;
  if (sign == "+")
    return __builtin_add_overflow(a, b, &value) ? std::nullopt : std::optional(value);
  if (sign == "-")
    return __builtin_sub_overflow(a, b, &value) ? std::nullopt : std::optional(value);
  if (sign == "*")
    return __builtin_mul_overflow(a, b, &value) ? std::nullopt : std::optional(value);
  if (sign == "/" && b > 0) return a / b;
  if (sign == "%" && b > 0) return a % b;
  if (sign == "<<" && a >= 0 && b >= 0 && b < 31 && a < (std::int64_t{1} << 31)) return a << b;
  if (sign == ">>" && a >= 0 && b >= 0 && b < 63) return a >> b;
  return std::nullopt;
}

class Constants {
 public:
  Constants(const SourceTree& tree, const Bindings& tune) : tree_(tree), tune_(tune) {}

  std::optional<std::int64_t> value(const SyntaxNode& expression, int depth = 0) const {
    const SyntaxNode node = without_parentheses(expression);
    if (depth > kMostConstantDepth) return std::nullopt;
    if (node.type() == "number_literal") return integer_literal(node.text());
    if (node.type() == "identifier") return of_name(node, depth);
    if (node.type() == "unary_expression" && node.field("operator").text() == "-") {
      const auto operand = value(node.field("argument"), depth + 1);
      return operand ? combine("-", 0, *operand) : std::nullopt;
    }
    if (node.type() != "binary_expression") return std::nullopt;
    const auto a = value(node.field("left"), depth + 1), b = value(node.field("right"), depth + 1);
    return a && b ? combine(node.field("operator").text(), *a, *b) : std::nullopt;
  }

 private:
  std::optional<std::int64_t> of_name(const SyntaxNode& name, int depth) const {
    if (const auto found = tune_.find(name.text()); found != tune_.end()) return found->second;
    if (const auto macro = of_macro(name.text(), depth)) return macro;
    const SyntaxNode function = function_around(name);
    const SyntaxNode scope =
        function.valid() && declared_once(tree_, function, name.text()) ? function : tree_.root();
    if (!declared_once(tree_, scope, name.text())) return std::nullopt;
    const SyntaxNode declaration = declaration_of(tree_, scope, name.text());
    const auto parts = declaration.children();
    const bool constant = std::any_of(parts.begin(), parts.end(), [](const SyntaxNode& part) {
      return part.text() == "const" || part.text() == "constexpr";
    });
    const SyntaxNode declarator = declaration.field("declarator");
    const bool plain = declarator.type() == "init_declarator" &&
                       declarator.field("declarator").text() == name.text();
    return constant && plain ? value(declarator.field("value"), depth + 1) : std::nullopt;
  }

  /// An object-like macro whose replacement is an integer, or one name of such.
  std::optional<std::int64_t> of_macro(std::string_view name, int depth) const {
    if (depth > kMostConstantDepth) return std::nullopt;
    std::optional<std::int64_t> found;
    for (const SyntaxNode& definition : tree_.all(tree_.root(), "preproc_def")) {
      if (definition.field("name").text() != name) continue;
      if (found) return std::nullopt;
      std::string_view text = trim(definition.field("value").text());
      if (text.starts_with('(') && text.ends_with(')'))
        text = trim(text.substr(1, text.size() - 2));
      found = integer_literal(text);
      if (!found && !text.empty() && text != name) found = of_macro(text, depth + 1);
      if (!found) return std::nullopt;
    }
    return found;
  }

  const SourceTree& tree_;
  const Bindings& tune_;
};

}  // namespace

std::optional<CountedLoop> match_counted_loop(const SourceTree& tree, const SyntaxNode& statement) {
  if (statement.type() != "for_statement") return std::nullopt;
  CountedLoop loop;
  loop.statement = statement;
  loop.body = statement.field("body");
  if (!loop.body.valid() || !match_first(statement.field("initializer"), loop)) return std::nullopt;
  if (!match_bound(statement.field("condition"), loop)) return std::nullopt;
  loop.step = step_of(statement.field("update"), loop.index);
  if (!rises(loop.step) || leaves_early(tree, statement)) return std::nullopt;
  if (may_change(tree, loop.body, loop.index)) return std::nullopt;
  if (!is_invariant(tree, loop.bound, loop.body)) return std::nullopt;
  if (mentions(tree, loop.bound, loop.index)) return std::nullopt;
  const SyntaxNode update = statement.field("update");
  for (const SyntaxNode& name : tree.all(update, "identifier")) {
    if (name.text() != loop.index && may_change(tree, statement, name.text())) return std::nullopt;
  }
  if (!tree.all(update, "call_expression").empty()) return std::nullopt;
  if (!tree.all(update, "subscript_expression").empty()) return std::nullopt;
  loop.statements = statements_of(loop.body);
  return loop;
}

std::vector<CountedLoop> counted_loops(const SourceTree& tree, const SyntaxNode& scope) {
  std::vector<CountedLoop> loops;
  for (const SyntaxNode& statement : tree.all(scope, "for_statement")) {
    if (auto loop = match_counted_loop(tree, statement)) loops.push_back(*std::move(loop));
  }
  return loops;
}

bool is_innermost(const SourceTree& tree, const CountedLoop& loop) {
  constexpr std::array<std::string_view, 4> kLoops{"for_statement", "while_statement",
                                                   "do_statement", "for_range_loop"};
  return std::none_of(kLoops.begin(), kLoops.end(), [&](std::string_view kind) {
    return loop.body.type() == kind || !tree.all(loop.body, kind).empty();
  });
}

bool has_continue(const SourceTree& tree, const CountedLoop& loop) {
  const auto jumps = tree.all(loop.statement, "continue_statement");
  return std::any_of(jumps.begin(), jumps.end(), [&](const SyntaxNode& jump) {
    return owner_of_jump(jump, false) == loop.statement;
  });
}

std::string text_of_body(const SourceTree& tree, const CountedLoop& loop) {
  const bool braces = loop.body.type() == "compound_statement";
  const std::size_t begin = loop.body.begin() + braces, end = loop.body.end() - braces;
  return std::string(trim(std::string_view(tree.source()).substr(begin, end - begin)));
}

SyntaxNode unroll_pragma(const CountedLoop& loop) {
  SyntaxNode before;
  for (const SyntaxNode& sibling : loop.statement.parent().children()) {
    if (sibling == loop.statement) break;
    if (sibling.type() != "comment") before = sibling;
  }
  if (!before.valid() || before.type() != "preproc_call") return {};
  return before.text().find("unroll") != std::string_view::npos ? before : SyntaxNode{};
}

void insert_unroll(Edits& edits, const SourceTree& tree, const CountedLoop& loop, int turns) {
  const std::string& source = tree.source();
  const std::size_t at = loop.statement.begin();
  const std::size_t line = source.rfind('\n', at) + 1;
  const bool alone = source.find_first_not_of(" \t", line) == at;
  const std::string pragma =
      turns > 0 ? fmt::format("#pragma unroll {}\n", turns) : "#pragma unroll\n";
  edits.insert(alone ? line : at, alone ? pragma : "\n" + pragma);
}

std::optional<std::int64_t> constant_integer(const SourceTree& tree, const SyntaxNode& expression,
                                             const Bindings& tune) {
  return Constants(tree, tune).value(expression);
}

std::optional<std::int64_t> trip_count(const SourceTree& tree, const CountedLoop& loop,
                                       const Bindings& tune) {
  const Constants constants(tree, tune);
  const auto first = constants.value(loop.first), bound = constants.value(loop.bound);
  std::optional<std::int64_t> step = integer_literal(loop.step);
  const SyntaxNode update = loop.statement.field("update");
  if (!step && update.type() == "assignment_expression" &&
      update.field("operator").text() == "+=") {
    step = constants.value(update.field("right"));
  }
  if (!first || !bound || !step || *step < 1) return std::nullopt;
  const auto span = combine("-", *bound + (loop.inclusive ? 1 : 0), *first);
  if (!span) return std::nullopt;
  return *span <= 0 ? 0 : (*span - 1) / *step + 1;
}

}  // namespace kp::propose
