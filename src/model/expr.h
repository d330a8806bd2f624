// SPDX-License-Identifier: Apache-2.0
// Integer expressions of a plan: grid sizes, shapes, shared-memory bytes, `where` conditions.
// A value type; parsing lives in `task`.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace kp {

/// Values of axes and tune parameters by name.
using Bindings = std::map<std::string, std::int64_t, std::less<>>;

class Expr {
 public:
  enum class Op : std::uint8_t {
    kLiteral,
    kName,
    kNegate,
    kNot,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kModulo,
    kCeilDiv,
    kMin,
    kMax,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kEqual,
    kNotEqual,
    kAnd,
    kOr,
  };
  /// One step of the postfix form.
  struct Step {
    Op op = Op::kLiteral;
    std::int64_t value = 0;  // kLiteral
    std::string name;        // kName
    bool operator==(const Step&) const = default;
  };

  Expr() = default;  // the literal 0
  explicit Expr(std::int64_t literal);
  /// `postfix` must leave exactly one value (KP_CHECK).
  Expr(std::vector<Step> postfix, std::string text);

  /// 64-bit signed arithmetic; division truncates towards zero, conditions give 0 or 1.
  /// Errors: a name without a value, overflow, division by zero.
  Result<std::int64_t> evaluate(const Bindings& bindings) const;
  std::set<std::string> names() const;
  const std::string& text() const { return text_; }  // as the author wrote it
  const std::vector<Step>& postfix() const { return postfix_; }
  bool operator==(const Expr& other) const { return postfix_ == other.postfix_; }

 private:
  std::vector<Step> postfix_{Step{}};
  std::string text_ = "0";
};

}  // namespace kp
