// SPDX-License-Identifier: Apache-2.0
// What all values of an input have in common beside their distribution, and what a kernel may
// therefore rely on: a triangle that is zero, symmetry, order, two values only.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace kp {

struct Structure {
  /// Of the matrices that the last two dimensions make; kAscending: of each row.
  enum class Form { kNone, kUpper, kLower, kSymmetric, kDiagonal, kAscending } form = Form::kNone;
  /// Each element that the form leaves free is one of two; it is drawn from [0, 1), and `high` with
  /// the probability `share`.
  struct TwoValues {
    double low = 0, high = 1, share = 0.5;
    bool operator==(const TwoValues&) const = default;
  };
  std::optional<TwoValues> two;

  bool any() const { return form != Form::kNone || two; }
  /// Whether it says how values are drawn, so that no other distribution may take the place of the
  /// author's.
  bool decides_values() const { return form == Form::kAscending || two; }
  /// Whether there are zeroes that need not be read: nobody need know what else they would meet.
  bool has_zeroes() const {
    return form == Form::kUpper || form == Form::kLower || form == Form::kDiagonal;
  }
  bool operator==(const Structure&) const = default;
};

/// Last two dimensions of an array; one row where it has one.
struct MatrixExtents {
  std::size_t rows = 1, columns = 1;
};

/// "upper triangular", "symmetric, 0 or 1 (a share of 0.25 is 1)"; empty for none.
std::string text_of(const Structure& structure);

/// Makes drawn values fit: zeroes, mirrors the upper triangle, sorts rows, chooses of two. A whole
/// number of matrices. kSymmetric only where they are square.
void apply(const Structure& structure, const MatrixExtents& extents, std::span<double> values);

/// Elements of one matrix from which the others follow: what a kernel must read at least. None of
/// rows in order, in which it may search.
std::size_t independent(const Structure& structure, const MatrixExtents& extents);

}  // namespace kp
