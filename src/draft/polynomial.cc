// SPDX-License-Identifier: Apache-2.0
#include "draft/polynomial.h"

#include <fmt/format.h>

#include <algorithm>

namespace kp::draft {

Polynomial::Polynomial(std::int64_t constant) { add({}, constant); }

Polynomial Polynomial::atom(std::string text, std::set<std::string> names) {
  Polynomial made;
  made.add({text}, 1);
  made.atoms_.emplace(std::move(text), std::move(names));
  return made;
}

void Polynomial::add(const Term& term, std::int64_t factor) {
  const auto place = terms_.try_emplace(term, 0).first;
  // Foreign numbers may be anything; a size that wraps is caught when the plan is evaluated.
  place->second = static_cast<std::int64_t>(static_cast<std::uint64_t>(place->second) +
                                            static_cast<std::uint64_t>(factor));
  if (place->second == 0) terms_.erase(place);
}

Polynomial Polynomial::operator+(const Polynomial& other) const {
  Polynomial sum = *this;
  for (const auto& [term, factor] : other.terms_) sum.add(term, factor);
  sum.atoms_.insert(other.atoms_.begin(), other.atoms_.end());
  return sum;
}

Polynomial Polynomial::operator-(const Polynomial& other) const { return *this + other * -1; }

Polynomial Polynomial::operator*(const Polynomial& other) const {
  Polynomial product;
  for (const auto& [left, factor] : terms_) {
    for (const auto& [right, times] : other.terms_) {
      Term term = left;
      term.insert(term.end(), right.begin(), right.end());
      std::sort(term.begin(), term.end());
      product.add(term, static_cast<std::int64_t>(static_cast<std::uint64_t>(factor) *
                                                  static_cast<std::uint64_t>(times)));
    }
  }
  product.atoms_ = atoms_;
  product.atoms_.insert(other.atoms_.begin(), other.atoms_.end());
  return product;
}

Polynomial Polynomial::operator/(const Polynomial& other) const {
  const std::optional<std::int64_t> divisor = other.constant(), value = constant();
  if (divisor && *divisor != 0) {
    if (value) return *value / *divisor;
    const bool exact = std::all_of(terms_.begin(), terms_.end(),
                                   [&](const auto& term) { return term.second % *divisor == 0; });
    Polynomial quotient = *this;
    for (auto& term : quotient.terms_) term.second /= *divisor;
    if (exact) return quotient;
  }
  std::set<std::string> mentioned = names();
  mentioned.merge(other.names());
  const auto ceil_div = [&](const Polynomial& dividend) {
    return atom(fmt::format("ceil_div({}, {})", dividend.text(), other.text()), mentioned);
  };
  // (a + b - 1) / b, and for a >= 1 also (a - 1) / b + 1.
  const Polynomial above = *this - other + 1, next = *this + 1;
  if (above.is_sum_of_extents()) return ceil_div(above);
  if (next.is_sum_of_extents()) return ceil_div(next) - 1;
  return atom(fmt::format("({}) / ({})", text(), other.text()), mentioned);
}

Polynomial Polynomial::operator%(const Polynomial& other) const {
  std::set<std::string> mentioned = names();
  mentioned.merge(other.names());
  return atom(fmt::format("({}) % ({})", text(), other.text()), mentioned);
}

bool Polynomial::is_sum_of_extents() const {
  return !terms_.empty() && std::all_of(terms_.begin(), terms_.end(), [](const auto& term) {
    return !term.first.empty() && term.second > 0;
  });
}

std::optional<std::int64_t> Polynomial::constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return {};
}

std::set<std::string> Polynomial::names() const {
  std::set<std::string> all;
  for (const auto& [term, factor] : terms_) {
    for (const std::string& atom : term) {
      const auto& mentioned = atoms_.at(atom);
      all.insert(mentioned.begin(), mentioned.end());
    }
  }
  return all;
}

Polynomial Polynomial::with(const std::string& atom, const Polynomial& value) const {
  Polynomial sum;
  for (const auto& [term, factor] : terms_) {
    Polynomial product(factor);
    for (const std::string& part : term) {
      product = product * (part == atom ? value : Polynomial::atom(part, atoms_.at(part)));
    }
    sum = sum + product;
  }
  return sum;
}

bool Polynomial::grows_with(const std::string& atom) const {
  bool found = false;
  for (const auto& [term, factor] : terms_) {
    if (std::find(term.begin(), term.end(), atom) == term.end()) continue;
    found = true;
    if (factor < 0) return false;
  }
  return found;
}

std::string Polynomial::text() const {
  std::string text;
  // Longest products first, the constant last: "rows * cols + cols - 1".
  std::vector<std::pair<Term, std::int64_t>> ordered(terms_.begin(), terms_.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  for (const auto& [term, factor] : ordered) {
    const std::uint64_t magnitude =
        factor < 0 ? 0 - static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
    text += text.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
    const std::string atoms = fmt::format("{}", fmt::join(term, " * "));
    if (term.empty()) {
      text += std::to_string(magnitude);
    } else {
      text += magnitude == 1 ? atoms : fmt::format("{} * {}", magnitude, atoms);
    }
  }
  return text.empty() ? "0" : text;
}

}  // namespace kp::draft
