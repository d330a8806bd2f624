// SPDX-License-Identifier: Apache-2.0
// Sees: double literals and double math functions in a kernel whose tensors hold no double.
// Does: gives literals the suffix f and functions their float names, in kernels and device
// functions. Refuses: a task with double data or class f64; a kernel that names the type double,
// since its author
//   meant it.
#include <array>
#include <cctype>
#include <string_view>

#include "propose/catalog.h"
#include "propose/edit.h"

namespace kp::propose {
namespace {

// The double functions of the CUDA math library whose float form is the name with an f behind.
constexpr std::array<std::string_view, 28> kDoubleFunctions{
    "acos", "asin", "atan", "atan2", "cbrt",  "ceil", "copysign", "cos",  "cosh", "erf",
    "exp",  "exp2", "fabs", "floor", "fma",   "fmax", "fmin",     "fmod", "log",  "log10",
    "log2", "pow",  "rint", "round", "rsqrt", "sin",  "sqrt",     "tanh"};

bool is_double_literal(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return false;
  const bool real = text.find_first_of(".eE") != std::string_view::npos;
  const char last = text.back();
  return real && (std::isdigit(static_cast<unsigned char>(last)) || last == '.');
}

class FloatLiterals final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"float_literals", diagnose::action::kFloatLiterals,
            "writes literals and math functions in single precision",
            "no tensor of the task is f64 and no kernel names the type double"};
  }

  RewriteResult apply(const Subject& subject) const override {
    for (const Tensor& tensor : subject.task.declaration.tensors) {
      if (tensor.dtype == DType::kF64) return Refusal{"tensor " + tensor.name + " is f64"};
    }
    Edits edits;
    for (const auto& function : subject.tree.all(subject.tree.root(), "function_definition")) {
      if (names_double(subject.tree, function)) {
        return Refusal{"a function names the type double: that looks meant"};
      }
      change(subject.tree, function, edits);
    }
    if (edits.empty()) return Refusal{"there is no double literal and no double function"};
    return std::vector{Rewritten{edits.apply(subject.tree.source()),
                                 "computes in single precision: float literals and functions"}};
  }

 private:
  static bool names_double(const build::SourceTree& tree, const build::SyntaxNode& function) {
    for (const auto& type : tree.all(function, "primitive_type")) {
      if (type.text() == "double") return true;
    }
    return false;
  }

  static void change(const build::SourceTree& tree, const build::SyntaxNode& function,
                     Edits& edits) {
    for (const auto& literal : tree.all(function, "number_literal")) {
      if (is_double_literal(literal.text())) edits.insert(literal.end(), "f");
    }
    for (const auto& call : tree.all(function, "call_expression")) {
      const auto callee = call.field("function");
      for (const std::string_view name : kDoubleFunctions) {
        if (callee.text() == name) edits.insert(callee.end(), "f");
      }
    }
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_float_literals() { return std::make_unique<FloatLiterals>(); }

}  // namespace kp::propose
