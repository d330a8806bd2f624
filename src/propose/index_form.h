// SPDX-License-Identifier: Apache-2.0
// Subscripts as polynomials over the names that they are made of: `(size_t)row * k + i` moves by 1
// with i and by k with row. Recognisers ask here how an access runs through memory.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "propose/locals.h"
#include "propose/syntax.h"

namespace kp::propose {

/// Sum of products of names with integer coefficients.
class IndexForm {
 public:
  using Product = std::vector<std::string>;  // sorted

  static IndexForm constant(std::int64_t value);
  static IndexForm name(std::string text);
  IndexForm plus(const IndexForm& other, std::int64_t times) const;
  IndexForm times(const IndexForm& other) const;

  /// What one more of `name` adds; nothing when it does not stand there linearly.
  std::optional<IndexForm> step(const std::string& name) const;
  /// The form with `name` = 0.
  IndexForm without(const std::string& name) const;
  bool has(const std::string& name) const;
  std::set<std::string> names() const;
  std::optional<std::int64_t> value() const;  // of a constant
  std::size_t size() const { return terms_.size(); }
  std::string text() const;  // as C++: "2 * k + 1"
  bool operator==(const IndexForm&) const = default;

 private:
  std::map<Product, std::int64_t> terms_;
};

/// An element of an array: `p[e]`, `*(p + e)`, through locals that are offsets or moved pointers.
struct ArrayElement {
  std::string pointer;  // a name that is no local: a parameter or array
  IndexForm index;
};

/// The form of an integer expression; what is not +, -, *, a cast, a literal, a name or a local
/// becomes a name of its own when it depends on none of `indices`, else there is no form.
std::optional<IndexForm> form_of(const SyntaxNode& expression, const Locals& locals,
                                 const std::vector<std::string>& indices);

std::optional<ArrayElement> element_of(const SyntaxNode& access, const Locals& locals,
                                       const std::vector<std::string>& indices);

}  // namespace kp::propose
