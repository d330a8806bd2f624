// SPDX-License-Identifier: Apache-2.0
#include "harness/screen_attack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "harness/convert.h"
#include "harness/gate_rules.h"

namespace kp::harness {
namespace {

constexpr std::size_t kQuarters = 4;

constexpr std::array kAttacks{
    Attack{"zeros", Part::kAll, Fill::kZeros},
    Attack{"constant", Part::kAll, Fill::kMean},
    Attack{"row means", Part::kAll, Fill::kRowMeans},
    Attack{"other inputs", Part::kAll, Fill::kOtherInputs},
    Attack{"untouched", Part::kAll, Fill::kUntouched},
    Attack{"a quarter unread", Part::kAll, Fill::kUnread},
    Attack{"last quarter zeros", Part::kLastQuarter, Fill::kZeros},
    Attack{"last quarter of other inputs", Part::kLastQuarter, Fill::kOtherInputs},
    Attack{"last quarter untouched", Part::kLastQuarter, Fill::kUntouched},
    Attack{"row tails zeros", Part::kRowTails, Fill::kZeros},
    Attack{"first tile only", Part::kBeyondFirstTile, Fill::kZeros}};

using Values = std::vector<double>;

double mean_of(std::span<const double> values) {
  double sum = 0, count = 0;
  for (const double value : values) {
    if (std::isfinite(value)) sum += value, count += 1;
  }
  return count > 0 ? sum / count : values.front();
}

/// Whole numbers are compared exactly: no mean, but what stands there most often.
double commonest(std::span<const double> values) {
  std::map<double, std::size_t> counts;
  for (const double value : values) ++counts[value];
  const auto more = [](const auto& a, const auto& b) { return a.second < b.second; };
  return std::max_element(counts.begin(), counts.end(), more)->first;
}

double constant_for(DType dtype, std::span<const double> values) {
  return is_floating(dtype) ? mean_of(values) : commonest(values);
}

Values row_means(const AttackMaterial& material) {
  Values means(material.expected.size());
  for (std::size_t at = 0; at < means.size(); at += material.row) {
    const double mean = constant_for(material.dtype, material.expected.subspan(at, material.row));
    std::fill_n(means.begin() + static_cast<std::ptrdiff_t>(at), material.row, mean);
  }
  return means;
}

/// The filling over the whole output, or why there is none.
std::variant<Values, std::string> filling(Fill fill, const AttackMaterial& material) {
  const std::size_t count = material.expected.size();
  const auto copy = [](std::span<const double> values, const char* without) {
    using Made = std::variant<Values, std::string>;
    return values.empty() ? Made(std::string(without)) : Made(Values(values.begin(), values.end()));
  };
  switch (fill) {
    case Fill::kZeros:
      return Values(count, 0.0);
    case Fill::kMean:
      if (count == 1) return "the mean of one element is the answer itself";
      return Values(count, constant_for(material.dtype, material.expected));
    case Fill::kRowMeans:
      if (material.rank < 2) return "it has no rows";
      if (material.row == 1) return "the mean of a row of one element is the answer itself";
      return row_means(material);
    case Fill::kOtherInputs:
      return copy(material.other, "the task reads no data");
    case Fill::kUnread:
      return copy(material.unread, "no floating input has four elements");
    case Fill::kUntouched:
      return copy(material.before, "it holds nothing before");
  }
  return "unknown";
}

/// Nothing where the part is there; else why it is not.
std::optional<std::string> absent(Part part, const AttackMaterial& material) {
  const std::size_t count = material.expected.size();
  switch (part) {
    case Part::kAll:
      return {};
    case Part::kLastQuarter:
      if (count < kQuarters) return "fewer than four elements have no last quarter";
      return {};
    case Part::kBeyondFirstTile:
      if (rules::tile_end(0, count) == count) return "it is one tile";
      return {};
    case Part::kRowTails:
      if (material.rank < 2) return "it has no rows";
      if (material.row < kQuarters) return "rows of fewer than four elements have no last quarter";
      return {};
  }
  return {};
}

bool is_worked_for(Part part, const AttackMaterial& material, std::size_t index) {
  const std::size_t count = material.expected.size();
  switch (part) {
    case Part::kAll:
      return false;
    case Part::kLastQuarter:
      return index < count - count / kQuarters;
    case Part::kBeyondFirstTile:
      return index < rules::tile_end(0, count);
    case Part::kRowTails:
      return index % material.row < material.row - material.row / kQuarters;
  }
  return false;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

std::span<const Attack> attacks() { return kAttacks; }

Forged forge(const Attack& attack, const AttackMaterial& material) {
  if (const auto why = absent(attack.part, material)) return *why;
  auto made = filling(attack.fill, material);
  auto* values = std::get_if<Values>(&made);
  if (values == nullptr) return made;
  for (std::size_t i = 0; i < values->size(); ++i) {
    const bool work = is_worked_for(attack.part, material, i);
    (*values)[i] = rounded(material.dtype, work ? material.expected[i] : (*values)[i]);
  }
  return made;
}

bool coincides(DType dtype, std::span<const double> forged, std::span<const double> expected) {
  for (std::size_t i = 0; i < forged.size(); ++i) {
    if (!same(forged[i], rounded(dtype, expected[i]))) return false;
  }
  return true;
}

bool all_close(DType dtype, std::span<const double> got, std::span<const double> expected,
               double tolerance) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double wanted = rounded(dtype, expected[i]);
    const bool close = std::isfinite(wanted) && std::isfinite(got[i]) &&
                       std::fabs(got[i] - wanted) <= tolerance + tolerance * std::fabs(wanted);
    if (!close && (got[i] != wanted || std::isnan(wanted))) return false;
  }
  return true;
}

}  // namespace kp::harness
