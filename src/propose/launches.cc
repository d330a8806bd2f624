// SPDX-License-Identifier: Apache-2.0
#include "propose/launches.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kp::propose {
namespace {

std::string_view symbol_of(Expr::Op op) {
  switch (op) {
    case Expr::Op::kAdd:
      return "+";
    case Expr::Op::kMultiply:
      return "*";
    case Expr::Op::kDivide:
      return "/";
    default:
      return "";
  }
}

std::string bracketed(const Expr& expr) {
  return expr.postfix().size() == 1 || expr.text().find_first_of(" +-*/%<>=&|") == std::string::npos
             ? expr.text()
             : "(" + expr.text() + ")";
}

/// Where the postfix form of the last operand of the last step starts.
std::size_t start_of_last_operand(const std::vector<Expr::Step>& steps) {
  int needed = 1;
  std::size_t at = steps.size() - 1;
  while (needed > 0 && at > 0) {
    const Expr::Op op = steps[--at].op;
    const bool leaf = op == Expr::Op::kLiteral || op == Expr::Op::kName;
    const bool unary = op == Expr::Op::kNegate || op == Expr::Op::kNot;
    needed += leaf ? -1 : (unary ? 0 : 1);
  }
  return at;
}

/// The comma between the two operands of `function(a, b)`; npos when the text is not one call.
std::size_t comma_of_call(std::string_view text) {
  int depth = 0;
  std::size_t comma = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (text[i] == ',' && depth == 1) {
      if (comma != std::string_view::npos) return std::string_view::npos;
      comma = i;
    }
    if (depth == 0 && text[i] == ')' && i + 1 != text.size()) return std::string_view::npos;
  }
  return comma;
}

std::vector<std::int64_t> values_of(const Plan& plan, const Expr& expr) {
  const auto names = expr.names();
  if (names.empty()) {
    const auto value = expr.evaluate({});
    return value ? std::vector{*value} : std::vector<std::int64_t>{};
  }
  const auto tune = std::find_if(plan.tunes.begin(), plan.tunes.end(),
                                 [&](const Tune& t) { return t.name == *names.begin(); });
  if (names.size() != 1 || tune == plan.tunes.end()) return {};
  std::vector<std::int64_t> values;
  for (const std::int64_t choice : tune->values) {
    const auto value = expr.evaluate({{tune->name, choice}});
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

bool is_taken(const Subject& subject, const std::string& name) {
  const Declaration& declaration = subject.task.declaration;
  const auto& axes = declaration.axes;
  return mentions(subject.tree, subject.tree.root(), name) || declaration.find(name) ||
         subject.candidate.plan.find_buffer(name) || subject.candidate.tune.contains(name) ||
         subject.candidate.source.find(name) != std::string::npos ||
         std::find(axes.begin(), axes.end(), name) != axes.end();
}

}  // namespace

Expr joined(const Expr& a, Expr::Op op, const Expr& b) {
  auto steps = a.postfix();
  steps.insert(steps.end(), b.postfix().begin(), b.postfix().end());
  steps.push_back({op, 0, ""});
  const std::string_view symbol = symbol_of(op);
  const std::string_view function = op == Expr::Op::kMin   ? "min"
                                    : op == Expr::Op::kMax ? "max"
                                                           : "ceil_div";
  return Expr(std::move(steps), symbol.empty()
                                    ? fmt::format("{}({}, {})", function, a.text(), b.text())
                                    : fmt::format("{} {} {}", bracketed(a), symbol, bracketed(b)));
}

Expr named(const std::string& name) { return Expr({{Expr::Op::kName, 0, name}}, name); }

std::optional<std::pair<Expr, Expr>> operands_of_ceil_div(const Expr& expr) {
  const auto& steps = expr.postfix();
  const std::string& text = expr.text();
  constexpr std::string_view kCall = "ceil_div(";
  if (steps.back().op != Expr::Op::kCeilDiv || !text.starts_with(kCall)) return std::nullopt;
  const std::size_t comma = comma_of_call(text);
  if (comma == std::string::npos || text.back() != ')') return std::nullopt;
  const auto split = steps.begin() + static_cast<std::ptrdiff_t>(start_of_last_operand(steps));
  const std::string_view view = text;
  return std::pair(Expr({steps.begin(), split},
                        std::string(trim(view.substr(kCall.size(), comma - kCall.size())))),
                   Expr({split, steps.end() - 1},
                        std::string(trim(view.substr(comma + 1, text.size() - comma - 2)))));
}

bool concerns(const Subject& subject, const SyntaxNode& function) {
  if (!subject.finding || subject.finding->kernel.empty()) return true;
  const std::string_view name = name_of_kernel(function);
  if (subject.finding->kernel == name) return true;
  const auto kernels = subject.tree.kernels();
  return std::any_of(kernels.begin(), kernels.end(), [&](const SyntaxNode& kernel) {
    return name_of_kernel(kernel) == subject.finding->kernel &&
           mentions(subject.tree, kernel.field("body"), name);
  });
}

bool is_flat(const Launch& launch) {
  return literal(launch.block.y) == 1 && literal(launch.block.z) == 1;
}

bool has_whole_warps(const Plan& plan, const Launch& launch) {
  const auto sizes = values_of(plan, launch.block.x);
  return is_flat(launch) && !sizes.empty() &&
         std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size % 32 == 0; });
}

Expr threads_along_x(const Launch& launch) {
  const auto operands = operands_of_ceil_div(launch.grid.x);
  if (operands && operands->second == launch.block.x) return operands->first;
  return joined(launch.grid.x, Expr::Op::kMultiply, launch.block.x);
}

const Argument* argument_for(const SourceTree& tree, const SyntaxNode& kernel, const Launch& launch,
                             std::string_view parameter) {
  std::size_t position = 0;
  for (const SyntaxNode& one : kernel.field("declarator").field("parameters").children()) {
    if (!one.type().ends_with("parameter_declaration")) continue;
    if (mentions(tree, one.field("declarator"), parameter)) {
      return position < launch.arguments.size() ? &launch.arguments[position] : nullptr;
    }
    ++position;
  }
  return nullptr;
}

bool is_passed_once(const SourceTree& tree, const SyntaxNode& kernel, const Launch& launch,
                    std::string_view parameter) {
  const Argument* argument = argument_for(tree, kernel, launch, parameter);
  const auto* name = argument ? std::get_if<std::string>(&argument->value) : nullptr;
  return name && std::count_if(launch.arguments.begin(), launch.arguments.end(),
                               [name](const Argument& other) {
                                 const auto* text = std::get_if<std::string>(&other.value);
                                 return text && *text == *name;
                               }) == 1;
}

std::string unused_name(const Subject& subject, const std::string& wanted) {
  std::string name = wanted;
  for (int number = 2; is_taken(subject, name); ++number) name = wanted + std::to_string(number);
  return name;
}

std::string add_tune(const Subject& subject, Plan& plan, const std::string& wanted,
                     std::vector<std::int64_t> values) {
  Tune tune;
  tune.name = unused_name(subject, wanted);
  tune.values = std::move(values);
  plan.tunes.push_back(tune);
  return tune.name;
}

}  // namespace kp::propose
