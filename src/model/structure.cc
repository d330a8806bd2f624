// SPDX-License-Identifier: Apache-2.0
#include "model/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace kp {
namespace {

using Form = Structure::Form;

const char* name_of(Form form) {
  switch (form) {
    case Form::kUpper:
      return "upper triangular";
    case Form::kLower:
      return "lower triangular";
    case Form::kSymmetric:
      return "symmetric";
    case Form::kDiagonal:
      return "diagonal";
    case Form::kAscending:
      return "ascending in each row";
    case Form::kNone:
      break;
  }
  return "";
}

bool is_zero(Form form, std::size_t row, std::size_t column) {
  return (form == Form::kUpper && column < row) || (form == Form::kLower && column > row) ||
         (form == Form::kDiagonal && column != row);
}

/// NaNs come last: they have no order of their own.
bool before(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

void shape(Form form, const MatrixExtents& extents, std::span<double> matrix) {
  for (std::size_t row = 0; row < extents.rows; ++row) {
    const auto values = matrix.subspan(row * extents.columns, extents.columns);
    if (form == Form::kAscending) std::sort(values.begin(), values.end(), before);
    for (std::size_t column = 0; column < extents.columns; ++column) {
      if (is_zero(form, row, column)) values[column] = 0;
      if (form == Form::kSymmetric && column < row)
        values[column] = matrix[column * extents.columns + row];
    }
  }
}

}  // namespace

std::string text_of(const Structure& structure) {
  std::string text = name_of(structure.form);
  if (!structure.two) return text;
  const auto& two = *structure.two;
  text += text.empty() ? "" : ", ";
  if (two.low == two.high) return text + fmt::format("elsewhere {:g}", two.high);
  return text + fmt::format("{:g} or {:g} (a share of {:.2g} is {:g})", two.low, two.high,
                            two.share, two.high);
}

std::size_t independent(const Structure& structure, const MatrixExtents& extents) {
  if (structure.form == Form::kAscending) return 0;
  if (structure.two && structure.two->low == structure.two->high) return 0;
  // Half of a symmetric matrix is as much as a triangle.
  const Form form = structure.form == Form::kSymmetric ? Form::kUpper : structure.form;
  std::size_t count = 0;
  for (std::size_t row = 0; row < extents.rows; ++row) {
    if (form == Form::kDiagonal) count += row < extents.columns ? 1 : 0;
    if (form == Form::kUpper) count += extents.columns - std::min(row, extents.columns);
    if (form == Form::kLower) count += std::min(row + 1, extents.columns);
    if (form == Form::kNone) count += extents.columns;
  }
  return count;
}

void apply(const Structure& structure, const MatrixExtents& extents, std::span<double> values) {
  if (const auto& two = structure.two) {
    for (double& value : values) value = value < two->share ? two->high : two->low;
  }
  if (structure.form == Form::kNone) return;
  const std::size_t size = extents.rows * extents.columns;
  KP_CHECK(size > 0 && values.size() % size == 0, "an array of whole matrices");
  for (std::size_t begin = 0; begin < values.size(); begin += size)
    shape(structure.form, extents, values.subspan(begin, size));
}

}  // namespace kp
