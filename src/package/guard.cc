// SPDX-License-Identifier: Apache-2.0
#include "package/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace kp::package {
namespace {

using task::AxisSpec;

AxisRange range_of(const Task& task, const std::string& axis) {
  AxisRange range{axis, 0, 0, 0};
  for (const Workload& workload : task.workloads) {
    const std::int64_t value = workload.axes.at(axis);
    range.low = range.low == 0 ? value : std::min(range.low, value);
    range.high = std::max(range.high, value);
    range.step = std::gcd(range.step, value);
  }
  return range;
}

Result<std::uint64_t> most_elements(const Task& task, const Tensor& tensor) {
  std::uint64_t most = 0;
  for (const Workload& workload : task.workloads) {
    KP_TRY(const std::uint64_t count, element_count(tensor.shape, workload.axes));
    most = std::max(most, count);
  }
  return most;
}

std::vector<double> values_of(const Task& task, const Tensor& scalar) {
  std::vector<double> values;
  for (const Workload& workload : task.workloads) {
    const auto given = workload.scalars.find(scalar.name);
    const double value =
        given != workload.scalars.end() ? given->second : scalar.scalar.value_or(0);
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

/// The check workload with the fewest elements along its axes.
const Workload& smallest(const Task& task) {
  const auto size = [](const Workload* workload) {
    double product = 1;
    for (const auto& [axis, value] : workload->axes) product *= static_cast<double>(value);
    return product;
  };
  const auto checks = task.with_role(WorkloadRole::kCheck);
  return **std::min_element(checks.begin(), checks.end(),
                            [&](const auto* a, const auto* b) { return size(a) < size(b); });
}

/// Smaller ones first: the original must be able to compute them, and memory is never short.
std::vector<std::int64_t> values_outside(const AxisRange& range, std::int64_t usual) {
  std::vector<std::int64_t> values;
  const std::int64_t half = range.low / 2 / range.step * range.step;
  for (const std::int64_t value :
       {range.low - range.step, half, usual + range.step / 2, usual + range.step / 4, usual + 1}) {
    const bool inside = value >= range.low && value <= range.high && value % range.step == 0;
    if (value >= 1 && !inside && std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
  }
  return values;
}

}  // namespace

bool Guard::serves(const Bindings& axes) const {
  return std::all_of(ranges.begin(), ranges.end(), [&axes](const AxisRange& range) {
    const std::int64_t value = axes.at(range.axis);
    return value >= range.low && value <= range.high && value % range.step == 0;
  });
}

Result<Guard> guard_of(const Task& task, const std::vector<AxisSpec>& axes) {
  Guard guard;
  for (const AxisSpec& axis : axes) {
    if (axis.kind == AxisSpec::Kind::kVar) guard.ranges.push_back(range_of(task, axis.name));
  }
  for (const Tensor& tensor : task.declaration.tensors) {
    if (tensor.shape.empty())
      guard.scalars[tensor.name] = values_of(task, tensor);
    else {
      KP_TRY(guard.elements[tensor.name], most_elements(task, tensor));
    }
  }
  return guard;
}

std::string describe(const Guard& guard) {
  std::vector<std::string> parts;
  for (const AxisRange& range : guard.ranges) {
    const std::string kind = range.step > 1 ? fmt::format("a multiple of {} ", range.step) : "";
    parts.push_back(range.low == range.high ? fmt::format("{} = {}", range.axis, range.low)
                                            : fmt::format("{} {}from {} to {}", range.axis, kind,
                                                          range.low, range.high));
  }
  for (const auto& [name, values] : guard.scalars)
    parts.push_back(fmt::format("{} = {}", name, fmt::join(values, " or ")));
  return parts.empty() ? "every call" : join(parts, "; ");
}

std::vector<Workload> shapes_outside(const Task& task, const std::vector<AxisSpec>& axes,
                                     const Guard& guard) {
  std::vector<Workload> shapes;
  for (const AxisRange& range : guard.ranges) {
    for (const std::int64_t value : values_outside(range, smallest(task).axes.at(range.axis))) {
      Workload shape = smallest(task);
      shape.axes[range.axis] = value;
      const auto all = completed(axes, shape.axes);
      if (!all) continue;
      shape.axes = *all;
      shape.role = WorkloadRole::kCheck;
      shape.name = fmt::format("outside-{}-{}", range.axis, value);
      shapes.push_back(std::move(shape));
    }
  }
  return shapes;
}

}  // namespace kp::package
