// SPDX-License-Identifier: Apache-2.0
#include "task/problem_structure.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "model/dtype.h"

namespace kp::task {
namespace {

using Form = Structure::Form;

constexpr std::uint64_t kFirstSeed = 1401, kSecondSeed = 1402;
constexpr double kChance = 1e-12;        // a structure that comes so rarely by chance is meant
constexpr double kLeastFilled = 0.5;     // of what a form leaves free, or zeroes may be by chance
constexpr std::size_t kLeastOfTwo = 16;  // elements of two values, of floats
constexpr std::size_t kLeastOfTwoWhole = 64;  // and of whole numbers, which repeat anyway
constexpr double kEven = 0.1;                 // 0 and 1 nearly as often as integers are drawn

/// Places of a matrix below, above and on the diagonal.
struct Part {
  std::size_t all = 0, zero = 0;
  void take(double value) {
    ++all;
    if (value == 0) ++zero;
  }
  bool is_zero() const { return all > 0 && zero == all; }
  std::size_t filled() const { return all - zero; }
};

struct Parts {
  Part below, diagonal, above;
  bool mirrored = true;
  std::vector<double> under;  // values below the diagonal
};

Parts parts_of(std::span<const double> values, const MatrixExtents& extents) {
  Parts parts;
  const std::size_t size = extents.rows * extents.columns;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t row = i % size / extents.columns, column = i % extents.columns;
    (column < row ? parts.below : column > row ? parts.above : parts.diagonal).take(values[i]);
    if (column >= row || extents.rows != extents.columns) continue;
    parts.under.push_back(values[i]);
    parts.mirrored = parts.mirrored &&
                     values[i] == values[i - (row - column) * extents.columns + (row - column)];
  }
  return parts;
}

/// That `zero` is so by chance, where `filled` of `free` elements are not.
bool is_meant(const Part& zero, std::size_t filled, std::size_t free) {
  if (!zero.is_zero() || static_cast<double>(filled) < kLeastFilled * static_cast<double>(free))
    return false;
  return static_cast<double>(zero.all) * std::log(1 - kLeastFilled) < std::log(kChance);
}

/// How often two elements are equal by chance.
double chance_of_equality(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double chance = 0;
  for (auto at = values.begin(); at != values.end();) {
    const auto end = std::upper_bound(at, values.end(), *at);
    const double share = static_cast<double>(end - at) / count;
    chance += share * share;
    at = end;
  }
  return chance;
}

bool is_symmetric(const Parts& parts) {
  if (!parts.mirrored || parts.under.empty()) return false;
  const auto pairs = static_cast<double>(parts.under.size());
  return pairs * std::log(chance_of_equality(parts.under)) < std::log(kChance);
}

/// Of n + 1 different values one order in (n + 1)! is ascending.
bool is_ascending(std::span<const double> values, std::size_t columns) {
  double log_chance = 0, increases = 0;
  for (std::size_t i = 1; i <= values.size(); ++i) {
    if (i == values.size() || i % columns == 0) {
      log_chance -= std::lgamma(increases + 2);
      increases = 0;
      continue;
    }
    if (!(values[i - 1] <= values[i])) return false;
    if (values[i - 1] < values[i]) ++increases;
  }
  return log_chance < std::log(kChance);
}

Form form_of(std::span<const double> values, const MatrixExtents& extents) {
  if (is_ascending(values, extents.columns)) return Form::kAscending;
  const Parts parts = parts_of(values, extents);
  const auto& [below, diagonal, above, mirrored, under] = parts;
  if (is_meant(below, diagonal.filled(), diagonal.all) &&
      is_meant(above, diagonal.filled(), diagonal.all))
    return Form::kDiagonal;
  if (is_meant(below, above.filled() + diagonal.filled(), above.all + diagonal.all))
    return Form::kUpper;
  if (is_meant(above, below.filled() + diagonal.filled(), below.all + diagonal.all))
    return Form::kLower;
  return is_symmetric(parts) ? Form::kSymmetric : Form::kNone;
}

/// The elements that `form` leaves free.
std::vector<double> free_values(std::span<const double> values, const MatrixExtents& extents,
                                Form form) {
  std::vector<double> kept(values.begin(), values.end()), mark(values.size(), 1);
  if (Structure{form, {}}.has_zeroes()) apply({form, {}}, extents, mark);
  std::size_t at = 0;
  std::erase_if(kept, [&](double) { return mark[at++] == 0; });
  return kept;
}

std::optional<Structure::TwoValues> two_of(const std::vector<double>& values, bool whole,
                                           bool formed) {
  std::set<double> seen;
  for (const double value : values) {
    if (seen.insert(value).second && seen.size() > 2) return {};
  }
  // A constant is drawn anew, as it could be left out; a mask of ones in a triangle could not.
  if (seen.size() == 1 && whole && formed)
    return Structure::TwoValues{*seen.begin(), *seen.begin(), 1};
  if (seen.size() != 2 || values.size() < (whole ? kLeastOfTwoWhole : kLeastOfTwo)) return {};
  const double low = *seen.begin(), high = *seen.rbegin();
  const auto highs = static_cast<double>(std::count(values.begin(), values.end(), high));
  const double share = highs / static_cast<double>(values.size());
  if (whole && low == 0 && high == 1 && std::fabs(share - 0.5) < kEven) return {};
  return Structure::TwoValues{low, high, share};
}

/// What both draws have; shares are their mean.
Structure common(const Structure& first, const Structure& second) {
  Structure both;
  if (first.form == second.form) both.form = first.form;
  if (!first.two || !second.two || first.form != second.form) return both;
  if (first.two->low != second.two->low || first.two->high != second.two->high) return both;
  both.two = first.two;
  both.two->share = (first.two->share + second.two->share) / 2;
  return both;
}

/// Of every tensor of `seen` that is in `drawn`.
Structures look_at(const torch::Tensors& drawn, const torch::Description& seen) {
  Structures found;
  for (const auto* members : {&seen.inputs, &seen.weights}) {
    for (const torch::Member& member : *members) {
      const auto values = drawn.find(member.name);
      if (member.number || values == drawn.end() || values->second.empty()) continue;
      const auto type = dtype_from(member.dtype);
      const Structure structure =
          structure_of(values->second, extents_of(member), type && !is_floating(*type));
      if (structure.any()) found[member.name] = structure;
    }
  }
  return found;
}

}  // namespace

MatrixExtents extents_of(const torch::Member& member) {
  MatrixExtents extents;
  const std::size_t rank = member.shape.size();
  if (rank > 0) extents.columns = static_cast<std::size_t>(member.shape[rank - 1]);
  if (rank > 1) extents.rows = static_cast<std::size_t>(member.shape[rank - 2]);
  return extents;
}

Structure structure_of(std::span<const double> values, const MatrixExtents& extents, bool whole) {
  Structure structure{form_of(values, extents), {}};
  if (structure.form == Form::kAscending) return structure;
  structure.two =
      two_of(free_values(values, extents, structure.form), whole, structure.form != Form::kNone);
  return structure;
}

Result<Structures> find_structures(torch::Worker& worker, int problem,
                                   const torch::Constants& constants,
                                   const torch::Description& seen) {
  KP_TRY(const auto drawn, worker.draw({problem, constants, kFirstSeed}));
  Structures first = look_at(drawn, seen);
  if (first.empty()) return first;
  KP_TRY(const auto again, worker.draw({problem, constants, kSecondSeed}));
  const Structures second = look_at(again, seen);
  for (auto& [name, structure] : first) {
    const auto found = second.find(name);
    structure = found == second.end() ? Structure{} : common(structure, found->second);
  }
  std::erase_if(first, [](const auto& one) { return !one.second.any(); });
  return first;
}

}  // namespace kp::task
