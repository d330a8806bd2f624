// SPDX-License-Identifier: Apache-2.0
#include "harness/value_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/hash.h"
#include "base/random.h"
#include "harness/convert.h"
#include "harness/fixed_input.h"

namespace kp::harness {
namespace {

constexpr std::size_t kNeedleTile = 1024;
constexpr double kNeedle = 100;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::array kNames{
    std::pair{ValueSet::kContract, "contract"},  std::pair{ValueSet::kNormal, "normal"},
    std::pair{ValueSet::kUniform, "uniform"},    std::pair{ValueSet::kShifted, "shifted"},
    std::pair{ValueSet::kLarge, "large"},        std::pair{ValueSet::kTiny, "tiny"},
    std::pair{ValueSet::kNeedles, "needles"},    std::pair{ValueSet::kHeavyTail, "heavy-tail"},
    std::pair{ValueSet::kAllEqual, "all-equal"}, std::pair{ValueSet::kOneHot, "one-hot"},
    std::pair{ValueSet::kSorted, "sorted"},      std::pair{ValueSet::kReversed, "reversed"},
    std::pair{ValueSet::kIntegers, "integers"},  std::pair{ValueSet::kSpecial, "special"}};

bool is_read(const Tensor& tensor) { return tensor.role != TensorRole::kOutput; }
bool is_array(const Tensor& tensor) { return is_read(tensor) && !tensor.shape.empty(); }

/// Indices and the like keep what the workload's file says in every set; floating data only where
/// the task's own values are asked for.
bool is_fixed(const Tensor& tensor, const Workload& workload, ValueSet set) {
  return workload.data.contains(tensor.name) &&
         (set == ValueSet::kContract || !is_floating(tensor.dtype));
}
bool is_drawn(const Tensor& tensor, const Workload& workload) {
  return is_array(tensor) && !is_fixed(tensor, workload, ValueSet::kNormal);
}

/// A tensor whose author named an interval or whole numbers keeps to them in every set.
bool is_free(const Tensor& tensor, const Workload& workload) {
  return is_drawn(tensor, workload) && is_floating(tensor.dtype) &&
         distribution_of(tensor, workload).kind == Distribution::Kind::kNormal;
}

double contract_value(const Distribution& distribution, Random& random) {
  switch (distribution.kind) {
    case Distribution::Kind::kUniform:
      return distribution.low + (distribution.high - distribution.low) * random.uniform();
    case Distribution::Kind::kInteger:
      return distribution.low +
             static_cast<double>(random.below(
                 static_cast<std::uint64_t>(distribution.high - distribution.low) + 1));
    case Distribution::Kind::kNormal:
      break;
  }
  return random.normal();
}

double cauchy(Random& random) { return std::tan(std::numbers::pi * (random.uniform() - 0.5)); }

double signed_value(double magnitude, Random& random) {
  return (random.bits32() & 1) != 0 ? magnitude : -magnitude;
}

/// Draws a tensor that is free to take any value.
class FreeDraw {
 public:
  FreeDraw(DType type, std::size_t count, std::size_t row, Random& random)
      : type_(type), row_(std::max<std::size_t>(row, 1)), values_(count), random_(random) {}

  std::vector<double> draw(ValueSet set) {
    const double shared = 0.5 + random_.uniform();
    for (double& value : values_) value = set == ValueSet::kAllEqual ? shared : element(set);
    if (set == ValueSet::kLarge) beyond_half();
    if (set == ValueSet::kNeedles) plant_needles();
    if (set == ValueSet::kOneHot) plant_ones();
    if (set == ValueSet::kSorted) std::sort(values_.begin(), values_.end());
    if (set == ValueSet::kReversed) std::sort(values_.begin(), values_.end(), std::greater<>());
    if (set == ValueSet::kSpecial) plant_specials();
    return std::move(values_);
  }

 private:
  double element(ValueSet set) {
    // Formats of 16 and 8 bits reach neither 1e4 nor 1e-30 with room to compute.
    const double high = std::min(1e4, largest_of(type_) / 8);
    switch (set) {
      case ValueSet::kUniform:
        return 2 * random_.uniform() - 1;
      case ValueSet::kShifted:
        return std::min(100.0, high) + random_.normal();
      case ValueSet::kLarge:
        return signed_value(high * (0.1 + 0.9 * random_.uniform()), random_);
      case ValueSet::kTiny:
        return random_.normal() * (random_.below(8) == 0
                                       ? smallest_normal_of(type_) / 16
                                       : std::max(1e-30, smallest_normal_of(type_)));
      case ValueSet::kNeedles:
        return 0.01 * random_.normal();
      case ValueSet::kHeavyTail:
        return std::clamp(cauchy(random_), -high, high);
      case ValueSet::kOneHot:
        return 0;
      case ValueSet::kIntegers:
        return static_cast<double>(random_.below(5)) - 2;
      default:
        return random_.normal();
    }
  }

  void beyond_half() {
    if (largest_of(type_) > 1e6)
      values_[random_.below(values_.size())] = signed_value(1e5, random_);
  }

  void plant_needles() {
    for (std::size_t tile = 0; tile < values_.size(); tile += kNeedleTile) {
      const std::size_t width = std::min(kNeedleTile, values_.size() - tile);
      values_[tile + random_.below(width)] = signed_value(kNeedle, random_);
    }
  }

  void plant_ones() {
    for (std::size_t start = 0; start < values_.size(); start += row_) {
      const std::size_t width = std::min(row_, values_.size() - start);
      values_[start + random_.below(width)] = 1;
    }
  }

  void plant_specials() {
    for (const double special : {0.0, -0.0, std::nan(""), kInfinity, -kInfinity})
      values_[random_.below(values_.size())] = special;
  }

  DType type_;
  std::size_t row_;
  std::vector<double> values_;
  Random& random_;
};

/// A tensor that keeps to its distribution: the extremes and orders that it allows.
std::vector<double> draw_bounded(const Distribution& distribution, std::size_t count, ValueSet set,
                                 Random& random) {
  std::vector<double> values(count);
  for (double& value : values) value = contract_value(distribution, random);
  if (set == ValueSet::kAllEqual) std::fill(values.begin(), values.end(), values.front());
  if (set == ValueSet::kSorted) std::sort(values.begin(), values.end());
  if (set == ValueSet::kReversed) std::sort(values.begin(), values.end(), std::greater<>());
  if (set == ValueSet::kLarge || set == ValueSet::kTiny) {
    // The highest and the lowest value allowed; a uniform interval excludes its end by a rounding.
    const double bound = set == ValueSet::kLarge ? distribution.high : distribution.low;
    for (std::size_t i = 0; i < count; i += 2) values[i] = bound;
  }
  return values;
}

Random stream_for(const Tensor& tensor, const Workload& workload, ValueSet set,
                  std::uint64_t seed) {
  const Hash128 place =
      hash_text(fmt::format("{}/{}/{}", workload.name, tensor.name, name_of(set)));
  return Random(seed ^ place.low, place.high);
}

Result<std::vector<double>> draw_tensor(const Tensor& tensor, const Workload& workload,
                                        ValueSet set, std::uint64_t seed) {
  if (tensor.shape.empty()) {
    KP_TRY(const double value, scalar_value(tensor, workload));
    return std::vector<double>{value};
  }
  if (is_fixed(tensor, workload, set))
    return fixed_values(workload.data.at(tensor.name), tensor.dtype);
  KP_TRY(const std::uint64_t count, element_count(tensor.shape, workload.axes));
  KP_TRY(const MatrixExtents extents, matrix_of(tensor, workload.axes));
  Random random = stream_for(tensor, workload, set, seed);
  std::vector<double> values =
      set != ValueSet::kContract && is_free(tensor, workload)
          ? FreeDraw(tensor.dtype, count, extents.columns, random).draw(set)
          : draw_bounded(distribution_of(tensor, workload), count, set, random);
  apply(tensor.structure, extents, values);
  return values;
}

}  // namespace

Result<double> scalar_value(const Tensor& tensor, const Workload& workload) {
  if (const auto given = workload.scalars.find(tensor.name); given != workload.scalars.end())
    return given->second;
  if (tensor.scalar) return *tensor.scalar;
  return fail_at(
      tensor.spot,
      fmt::format("the scalar `{}` has no value in workload {}", tensor.name, workload.name),
      "give it one in the workload");
}

std::string_view name_of(ValueSet set) {
  for (const auto& [known, name] : kNames) {
    if (known == set) return name;
  }
  return "contract";
}

std::vector<ValueSet> value_sets_for(const Declaration& declaration, const Workload& workload) {
  const auto any = [&](auto&& holds) {
    return std::any_of(declaration.tensors.begin(), declaration.tensors.end(), holds);
  };
  const bool free = any([&](const Tensor& tensor) { return is_free(tensor, workload); });
  const bool drawn = any([&](const Tensor& tensor) { return is_drawn(tensor, workload); });
  std::vector<ValueSet> sets{ValueSet::kContract};
  if (!drawn) return sets;
  // NaN times a zero is NaN, but a kernel may leave the zeroes of a triangle out.
  const bool special = !any([](const Tensor& tensor) { return tensor.structure.has_zeroes(); });
  for (const auto& [set, name] : kNames) {
    const bool bounded_too = set == ValueSet::kLarge || set == ValueSet::kTiny ||
                             set == ValueSet::kAllEqual || set == ValueSet::kSorted ||
                             set == ValueSet::kReversed;
    if (set == ValueSet::kSpecial && !special) continue;
    if (set != ValueSet::kContract && (free || bounded_too)) sets.push_back(set);
  }
  return sets;
}

bool has_zero_mean(ValueSet set, const Declaration& declaration, const Workload& workload) {
  if (set != ValueSet::kContract && set != ValueSet::kNormal && set != ValueSet::kUniform)
    return false;
  return std::all_of(declaration.tensors.begin(), declaration.tensors.end(),
                     [&](const Tensor& tensor) {
                       if (!is_array(tensor)) return true;
                       if (is_fixed(tensor, workload, set)) return false;
                       if (const auto& two = tensor.structure.two) return two->low == -two->high;
                       const Distribution distribution = distribution_of(tensor, workload);
                       return distribution.kind == Distribution::Kind::kNormal ||
                              distribution.low == -distribution.high;
                     });
}

Result<TensorValues> draw_inputs(const Task& task, const Workload& workload, ValueSet set,
                                 std::uint64_t seed) {
  TensorValues inputs;
  for (const Tensor& tensor : task.declaration.tensors) {
    if (!is_read(tensor)) continue;
    KP_TRY(std::vector<double> values, draw_tensor(tensor, workload, set, seed));
    for (double& value : values) value = rounded(tensor.dtype, value);
    inputs.emplace(tensor.name, std::move(values));
  }
  return inputs;
}

double rounding_error_of(Precision precision) {
  switch (precision) {
    case Precision::kF64:
      return 0x1p-52;
    case Precision::kF32:
      return 0x1p-23;
    case Precision::kTf32:
    case Precision::kF16:
      return 0x1p-11;
    case Precision::kBf16:
      return 0x1p-9;
    case Precision::kF8:
      return 0x1p-4;
  }
  return 0x1p-23;
}

TensorValues nudged(const TensorValues& inputs, const Task& task, Precision precision,
                    std::uint64_t seed) {
  const double unit = rounding_error_of(precision);
  TensorValues moved = inputs;
  for (const Tensor& tensor : task.declaration.tensors) {
    const auto found = moved.find(tensor.name);
    if (found == moved.end() || !is_floating(tensor.dtype)) continue;
    Random random(seed, hash_text(tensor.name).low);
    const double least = smallest_normal_of(tensor.dtype);
    for (double& value : found->second) {
      if (!std::isfinite(value)) continue;
      value = std::fabs(value) < least ? 0 : value * (1 + unit * (2 * random.uniform() - 1));
    }
  }
  return moved;
}

}  // namespace kp::harness
