// SPDX-License-Identifier: Apache-2.0
#include "harness/distance_gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/gates.h"
#include "harness/value_sets.h"

namespace kp::harness {
namespace {

constexpr Precision kClasses[] = {Precision::kF32, Precision::kTf32, Precision::kBf16};

struct Judged {
  double error = 0, limit = 0;  // of the whole tensor, relative to its deviation
};

Judged judged(const torch::OutputDistance& distance, Precision precision) {
  const rules::Gate gate =
      gate_of({.dtype = DType::kF32, .precision = precision, .zero_mean = true});
  // The response to nudged inputs is proportional to the nudge.
  const double coarser = rounding_error_of(precision) / rounding_error_of(Precision::kF32);
  const double response = distance.response_l2 * coarser;
  const rules::Sums whole{.count = distance.elements,
                          .error2 = distance.error_l2 * distance.error_l2,
                          .value2 = distance.norm_l2 * distance.norm_l2,
                          .response2 = response * response};
  const double scale = distance.norm_l2 > 0 ? distance.norm_l2 : 1;
  return {distance.error_l2 / scale, rules::limit(gate, whole, whole) / scale};
}

bool passes(const torch::OutputDistance& distance, Precision precision) {
  if (distance.shape_differs || distance.special > 0) return false;
  const Judged found = judged(distance, precision);
  return found.error <= found.limit;
}

}  // namespace

std::optional<Precision> tightest_class(std::span<const torch::OutputDistance> distances) {
  for (const Precision precision : kClasses) {
    const auto good = [&](const auto& distance) { return passes(distance, precision); };
    if (!distances.empty() && std::all_of(distances.begin(), distances.end(), good))
      return precision;
  }
  return {};
}

std::string why_not(std::span<const torch::OutputDistance> distances, Precision precision) {
  for (const torch::OutputDistance& distance : distances) {
    if (passes(distance, precision)) continue;
    if (distance.shape_differs) return fmt::format("{} has another shape", distance.name);
    const std::string place = fmt::format("element {:.0f} is {:.6g}, expected {:.6g}",
                                          distance.worst_index, distance.got, distance.expected);
    if (distance.special > 0) {
      return fmt::format("{:.0f} elements of {} are finite on one side only; {}", distance.special,
                         distance.name, place);
    }
    const Judged found = judged(distance, precision);
    return fmt::format("{} is off by {:.2g} of its deviation, {:.2g} is allowed in {}; {}",
                       distance.name, found.error, found.limit, name_of(precision), place);
  }
  return {};
}

}  // namespace kp::harness
