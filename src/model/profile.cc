// SPDX-License-Identifier: Apache-2.0
#include "model/profile.h"

namespace kp {

std::string_view name_of(Grade grade) {
  switch (grade) {
    case Grade::kMeasured:
      return "measured";
    case Grade::kModelled:
      return "modelled";
    case Grade::kStatic:
      return "static";
  }
  return "modelled";
}

void MetricSet::set(const MetricKey& key, double value, Grade grade) {
  values_[std::string(key.name)] = Metric{value, grade};
}

std::optional<double> MetricSet::get(const MetricKey& key) const {
  const std::optional<Metric> metric = find(key.name);
  if (!metric) return std::nullopt;
  return metric->value;
}

std::optional<Metric> MetricSet::find(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

void MetricSet::merge(const MetricSet& other) {
  values_.insert(other.values_.begin(), other.values_.end());
}

}  // namespace kp
