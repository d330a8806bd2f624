// SPDX-License-Identifier: Apache-2.0
// Integer polynomials over named extents, in which a host program's sizes are computed and
// compared:
// "(n + 255) / 256" and "ceil_div(n, 256)" come out as the same. Used by draft only.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kp::draft {

class Polynomial {
 public:
  Polynomial() = default;  // 0
  Polynomial(std::int64_t constant);
  /// A name, or a whole term that is not a polynomial, as the plan writes it: "min(a, b)".
  /// `names` are the extents that it mentions.
  static Polynomial atom(std::string text, std::set<std::string> names);
  static Polynomial name(const std::string& name) { return atom(name, {name}); }

  Polynomial operator+(const Polynomial& other) const;
  Polynomial operator-(const Polynomial& other) const;
  Polynomial operator*(const Polynomial& other) const;
  /// Rounds towards zero as C++ does; recognises the idiom that rounds up.
  Polynomial operator/(const Polynomial& other) const;
  Polynomial operator%(const Polynomial& other) const;
  bool operator==(const Polynomial& other) const { return terms_ == other.terms_; }

  std::optional<std::int64_t> constant() const;
  std::set<std::string> names() const;
  /// This with `value` in place of an atom.
  Polynomial with(const std::string& atom, const Polynomial& value) const;
  /// True when `atom` stands in it, and only with factors above 0.
  bool grows_with(const std::string& atom) const;
  /// In the notation of the plan.
  std::string text() const;

 private:
  using Term = std::vector<std::string>;  // sorted atoms; empty for the constant
  bool is_sum_of_extents() const;         // no constant, every factor above 0
  void add(const Term& term, std::int64_t factor);

  std::map<Term, std::int64_t> terms_;  // factors are never 0
  std::map<std::string, std::set<std::string>> atoms_;
};

}  // namespace kp::draft
