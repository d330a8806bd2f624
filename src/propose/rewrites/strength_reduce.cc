// SPDX-License-Identifier: Apache-2.0
// Sees: integer and float arithmetic that cheaper instructions can do.
// Does: 32-bit indices where the plan's arrays fit; shifts and masks for divisions by powers of two
//   of what cannot be negative; one division for quotient and remainder; products for powers 2 and
//   3; multiplication for division by a power of two. In versions of their own: one reciprocal for
//   the quotients of a loop, which rounds differently, and addresses hoisted out of loops.
// Refuses: what may be negative, wrap, or overflow 32 bits; reciprocals in class f64.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/index_arithmetic.h"
#include "propose/launches.h"
#include "propose/loops.h"
#include "propose/reduction.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

/// The value of a literal of type float.
std::optional<double> float_literal(const SyntaxNode& node) {
  std::string_view text = node.text();
  if (node.type() != "number_literal" || text.starts_with("0x") || text.empty())
    return std::nullopt;
  if (text.back() != 'f' && text.back() != 'F') return std::nullopt;
  return parse_real(text.substr(0, text.size() - 1));
}

bool is_power_of_two(double value) {
  int exponent = 0;
  return std::frexp(std::fabs(value), &exponent) == 0.5 && exponent > -100 && exponent < 100;
}

/// powf(x, 2.0f) becomes (x * x).
void multiply_powers(const SourceTree& tree, const SyntaxNode& kernel, Edits& edits) {
  for (const SyntaxNode& call : tree.all(kernel.field("body"), "call_expression")) {
    const std::string_view callee = call.field("function").text();
    const auto arguments = call.field("arguments").children();
    if ((callee != "powf" && callee != "__powf") || arguments.size() != 2) continue;
    const std::string_view x = arguments[0].text(), power = arguments[1].text();
    const bool square = power == "2.0f" || power == "2.f" || power == "2";
    const bool cube = power == "3.0f" || power == "3.f" || power == "3";
    if ((!square && !cube) || arguments[0].type() != "identifier") continue;
    edits.replace(call,
                  square ? fmt::format("({0} * {0})", x) : fmt::format("({0} * {0} * {0})", x));
  }
}

/// x / 4.0f becomes x * 0.25f, which is the same to the last bit.
void multiply_by_inverses(const SourceTree& tree, const SyntaxNode& kernel, Edits& edits) {
  for (const SyntaxNode& division : tree.all(kernel.field("body"), "binary_expression")) {
    const SyntaxNode left = division.field("left"), right = division.field("right");
    const auto divisor = operator_of(division) == "/" ? float_literal(right) : std::nullopt;
    if (!divisor || !is_power_of_two(*divisor) || !is_float(tree, kernel, left)) continue;
    std::string inverse = fmt::format("{}", 1 / *divisor);
    if (inverse.find_first_of(".e") == std::string::npos) inverse += ".0";
    edits.replace(left.end(), right.end(), fmt::format(" * {}f", inverse));
  }
}

std::optional<std::string> exact_floats(const Subject& subject, const SyntaxNode& kernel) {
  Edits edits;
  multiply_powers(subject.tree, kernel, edits);
  multiply_by_inverses(subject.tree, kernel, edits);
  return edits.empty() ? std::nullopt : std::optional(edits.apply(subject.tree.source()));
}

/// x / d in a loop that d does not change in becomes x * d_inverse.
std::optional<std::string> reciprocals(const Subject& subject, const SyntaxNode& kernel) {
  const SourceTree& tree = subject.tree;
  Edits edits;
  std::vector<std::string> taken;
  for (const CountedLoop& loop : counted_loops(tree, kernel.field("body"))) {
    if (!is_innermost(tree, loop) || loop.statement.parent().type() != "compound_statement")
      continue;
    std::vector<std::string> divisors;
    const std::string margin(column_of(tree, loop.statement), ' ');
    const SyntaxNode pragma = unroll_pragma(loop);
    const std::size_t before = pragma.valid() ? pragma.begin() : loop.statement.begin();
    for (const SyntaxNode& division : tree.all(loop.body, "binary_expression")) {
      const SyntaxNode left = division.field("left"), right = division.field("right");
      const bool fits = operator_of(division) == "/" && right.type() == "identifier" &&
                        is_float(tree, kernel, right) && is_float(tree, kernel, left) &&
                        is_invariant(tree, right, loop.statement) &&
                        !declaration_of(tree, loop.statement, right.text()).valid();
      const std::string name = std::string(right.text()) + "_inverse";
      if (!fits || mentions(tree, kernel, name)) continue;
      if (std::find(divisors.begin(), divisors.end(), name) == divisors.end()) {
        if (std::find(taken.begin(), taken.end(), name) != taken.end()) continue;
        divisors.push_back(name);
        taken.push_back(name);
        edits.insert(before,
                     fmt::format("const float {} = 1.0f / {};\n{}", name, right.text(), margin));
      }
      edits.replace(left.end(), right.end(), " * " + name);
    }
  }
  return edits.empty() ? std::nullopt : std::optional(edits.apply(tree.source()));
}

using Change = std::optional<std::string> (*)(const Subject&, const SyntaxNode&);
struct NamedChange {
  Change change;
  std::string_view does;
};
constexpr std::array<NamedChange, 4> kExact{{{narrow_indices, "32-bit indices"},
                                             {shift_divisions, "shifts for divisions"},
                                             {share_divisions, "one division for two"},
                                             {exact_floats, "products for powers and quotients"}}};

/// A source that changes are made to one after the other.
struct Work {
  std::string source, done;

  /// In each kernel that the finding is about.
  void apply(const NamedChange& change, const Subject& subject) {
    bool any = false;
    for (std::size_t k = 0; k < subject.tree.kernels().size(); ++k) {
      const SourceTree tree(source);
      const Subject now{subject.task, subject.candidate, tree, subject.finding};
      const SyntaxNode kernel = tree.kernels().at(k);
      auto changed = concerns(now, kernel) ? change.change(now, kernel) : std::nullopt;
      if (!changed) continue;
      source = *std::move(changed);
      any = true;
    }
    if (any) done += fmt::format("{}{}", done.empty() ? "" : ", ", change.does);
  }
};

class StrengthReduce final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {
        "strength_reduce", diagnose::action::kStrengthReduce,
        "computes indices, divisions and powers with cheaper instructions",
        "indices that fit 32 bits, divisions of what cannot be negative or that share operands, "
        "subscripts linear in a loop, or powers and quotients that products can replace"};
  }

  RewriteResult apply(const Subject& subject) const override {
    Work exact{subject.tree.source(), ""};
    for (const NamedChange& change : kExact) exact.apply(change, subject);
    Work rounded = exact, hoisted = exact;
    if (subject.task.declaration.precision != Precision::kF64) {
      rounded.apply({reciprocals, "one reciprocal for the quotients of a loop"}, subject);
    }
    // Most compilers do this better themselves, and unroll what they did not change.
    hoisted.apply({hoist_addresses, "addresses out of loops"}, subject);
    std::vector<Rewritten> versions;
    for (const Work* work : {&rounded, &exact, &hoisted}) {
      const bool repeats = work != &exact && work->source == exact.source;
      if (!repeats && !work->done.empty()) versions.push_back({work->source, "uses " + work->done});
    }
    if (versions.empty()) return Refusal{"no arithmetic of a known form has a cheaper one"};
    return versions;
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_strength_reduce() { return std::make_unique<StrengthReduce>(); }

}  // namespace kp::propose
