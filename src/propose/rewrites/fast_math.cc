// SPDX-License-Identifier: Apache-2.0
// Sees: library functions and divisions in single precision.
// Does: calls the hardware's approximations (__expf, __logf, __sinf, __cosf, __powf, __fdividef).
// Two
//   versions: functions and divisions, functions alone.
// Refuses: class f64; operands that are not certainly float. Whether the error stays within the
// class is
//   the harness's judgement.
// Source: error bounds in the CUDA C++ Programming Guide, intrinsic functions.
#include <array>

#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/syntax.h"

namespace kp::propose {
namespace {

struct Fast {
  std::string_view name, fast;
};
constexpr std::array<Fast, 9> kFunctions{{{"expf", "__expf"},
                                          {"exp10f", "__exp10f"},
                                          {"logf", "__logf"},
                                          {"log2f", "__log2f"},
                                          {"log10f", "__log10f"},
                                          {"sinf", "__sinf"},
                                          {"cosf", "__cosf"},
                                          {"tanf", "__tanf"},
                                          {"powf", "__powf"}}};

class FastMath final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"fast_math", diagnose::action::kFastMath,
            "calls approximate functions and division in single precision",
            "the task's class is not f64; operands are certainly float"};
  }

  RewriteResult apply(const Subject& subject) const override {
    if (subject.task.declaration.precision == Precision::kF64) return Refusal{"the class is f64"};
    Edits functions, all;
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      replace_functions(subject.tree, kernel, functions);
      replace_functions(subject.tree, kernel, all);
      replace_divisions(subject.tree, kernel, all);
    }
    std::vector<Rewritten> versions;
    const std::string& source = subject.tree.source();
    const std::string both = all.apply(source), some = functions.apply(source);
    if (both != source) versions.push_back({both, "uses approximate functions and division"});
    if (some != source && some != both) versions.push_back({some, "uses approximate functions"});
    if (versions.empty())
      return Refusal{"there is no single-precision function or division to replace"};
    return versions;
  }

 private:
  static void replace_functions(const SourceTree& tree, const SyntaxNode& kernel, Edits& edits) {
    for (const SyntaxNode& call : tree.all(kernel, "call_expression")) {
      const SyntaxNode callee = call.field("function");
      for (const Fast& fast : kFunctions) {
        if (callee.text() == fast.name) edits.replace(callee, std::string(fast.fast));
      }
    }
  }

  /// a / b becomes __fdividef(a, b): text goes around the operands, so that edits inside them stay
  /// apart.
  static void replace_divisions(const SourceTree& tree, const SyntaxNode& kernel, Edits& edits) {
    for (const SyntaxNode& division : tree.all(kernel, "binary_expression")) {
      const SyntaxNode left = division.field("left"), right = division.field("right");
      if (operator_of(division) != "/" || !is_float(tree, kernel, division)) continue;
      edits.insert(left.begin(), "__fdividef(");
      edits.replace(left.end(), right.begin(), ", ");
      edits.insert(right.end(), ")");
    }
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_fast_math() { return std::make_unique<FastMath>(); }

}  // namespace kp::propose
