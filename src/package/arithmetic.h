// SPDX-License-Identifier: Apache-2.0
// Expressions of a plan as source text of another language.
#pragma once
#include <string>

#include "model/expr.h"

namespace kp::package {

enum class Language {
  kCpp,     // over `Whole` of assets/launch.cuh, which checks as the plan's own evaluation does
  kPython,  // over int; for shapes, whose values are not negative
};

/// Names in `known` (tune parameters) become their values, and what then has no name left becomes a
/// number. Errors: such a part overflows or divides by zero.
Result<std::string> source_of(const Expr& expr, const Bindings& known, Language language);

}  // namespace kp::package
