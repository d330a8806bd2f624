// SPDX-License-Identifier: Apache-2.0
#include "harness/cases.h"

#include <fmt/format.h>

#include <cmath>

namespace kp::harness {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

constexpr std::uint64_t kPermuted = 1;

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = a[i] - b[i];
    if (std::isfinite(apart)) sum += apart * apart;
  }
  return std::sqrt(sum);
}

std::size_t bytes_of(const TensorValues& tensors) {
  std::size_t bytes = 0;
  for (const auto& [name, values] : tensors) bytes += values.size() * sizeof(double);
  return bytes;
}

}  // namespace

Result<const Case*> Cases::get(const Workload& workload, ValueSet set, std::uint64_t seed,
                               Precision precision) {
  const std::string key =
      fmt::format("{}/{}/{}/{}", workload.name, name_of(set), seed, name_of(precision));
  if (const auto known = cases_.find(key); known != cases_.end()) return known->second.get();
  auto made = std::make_unique<Case>();
  made->workload = &workload;
  made->set = set;
  made->seed = seed;
  KP_TRY(made->inputs, draw_inputs(task_, workload, set, seed));
  KP_TRY(made->expected, reference_.compute(workload, made->inputs));
  KP_TRY(made->nudged, reference_.compute(workload, nudged(made->inputs, task_, precision, seed)));
  if (reference_.varies()) {
    KP_TRY(const TensorValues permuted, reference_.compute(workload, made->inputs, kPermuted));
    for (const auto& [name, values] : made->expected)
      made->spread[name] = distance(values, permuted.at(name));
  }
  const std::size_t bytes =
      bytes_of(made->inputs) + bytes_of(made->expected) + bytes_of(made->nudged);
  if (bytes_ + bytes > kMostBytes) {
    cases_.clear();
    bytes_ = 0;
  }
  bytes_ += bytes;
  return cases_.emplace(key, std::move(made)).first->second.get();
}

}  // namespace kp::harness
