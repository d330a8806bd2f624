// SPDX-License-Identifier: Apache-2.0
// From axis, check and time lines to workloads.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "task/declaration.h"
#include "task/distribution.h"
#include "task/plan_draft.h"

namespace kp::task {
namespace {

constexpr double kCheckBytes = 1 << 20;     // a derived check workload needs no more
constexpr std::int64_t kSmallestHalf = 64;  // and halves no axis below this

Error at(Error error, const SourceSpot& spot) {
  if (error.spot.line == 0) error.spot = spot;
  return error;
}

/// Values of all axes: `given` where it says so, otherwise from the axis lines in their order.
Result<Bindings> bind_axes(const PlanDraft& draft, const Bindings& given) {
  Bindings axes;
  for (const AxisLine& line : draft.axes) {
    const auto set = given.find(line.name);
    Result<std::int64_t> value =
        set == given.end() ? line.value.evaluate(axes) : Result<std::int64_t>(set->second);
    if (!value) return tl::unexpected<Error>(at(std::move(value).error(), line.spot));
    if (*value < 1) {
      return fail_at(line.spot, fmt::format("axis `{}` is {}", line.name, *value),
                     "an axis is at least 1");
    }
    axes[line.name] = *value;
  }
  return axes;
}

bool is_derived(const AxisLine& line) { return !line.value.names().empty(); }

std::string workload_name(const PlanDraft& draft, const Bindings& axes, const Bindings& given) {
  std::vector<std::string> parts;
  for (const AxisLine& line : draft.axes) {
    if (is_derived(line) && !given.contains(line.name)) continue;
    parts.push_back(fmt::format("{}={}", line.name, axes.at(line.name)));
  }
  return parts.empty() ? "fixed" : join(parts, ",");
}

Result<std::map<std::string, Distribution>> ranges(const PlanDraft& draft, const Bindings& axes) {
  std::map<std::string, Distribution> found;
  for (const RangeLine& line : draft.ranges) {
    const Result<Distribution> range = [&]() -> Result<Distribution> {
      KP_TRY(const std::int64_t low, line.low.evaluate(axes));
      KP_TRY(const std::int64_t high, line.high.evaluate(axes));
      return integer_distribution({low, high}, draft.parsed.declaration.find(line.tensor)->dtype);
    }();
    if (!range) return tl::unexpected<Error>(at(range.error(), line.spot));
    found[line.tensor] = *range;
  }
  return found;
}

Result<Workload> make_workload(const PlanDraft& draft, WorkloadRole role, const Bindings& given) {
  Workload workload;
  workload.role = role;
  KP_TRY(workload.axes, bind_axes(draft, given));
  workload.name = workload_name(draft, workload.axes, given);
  KP_TRY(workload.distributions, ranges(draft, workload.axes));
  auto sizes = check_sizes(draft.parsed.declaration, workload);
  if (!sizes) return tl::unexpected<Error>(at(std::move(sizes).error(), draft.parsed.plan.spot));
  return workload;
}

Result<Bindings> values_of(const WorkloadLine& line, const PlanDraft& draft) {
  Bindings given;
  for (const WorkloadLine::Value& value : line.values) {
    if (!draft.names.contains(value.axis) ||
        std::find(draft.parsed.declaration.axes.begin(), draft.parsed.declaration.axes.end(),
                  value.axis) == draft.parsed.declaration.axes.end()) {
      return fail_at(value.spot, fmt::format("unknown axis `{}`", value.axis),
                     suggest(value.axis, draft.parsed.declaration.axes, "declare it with `axis`"));
    }
    if (value.value < 1) {
      return fail_at(value.spot, fmt::format("axis `{}` is {}", value.axis, value.value),
                     "an axis is at least 1");
    }
    if (!given.emplace(value.axis, value.value).second) {
      return fail_at(value.spot, fmt::format("axis `{}` stands twice", value.axis));
    }
  }
  return given;
}

/// The axis to halve next: the largest even one whose half is not too small; the first among
/// equals.
const AxisLine* axis_to_halve(const PlanDraft& draft, const Bindings& axes) {
  const AxisLine* best = nullptr;
  for (const AxisLine& line : draft.axes) {
    const std::int64_t value = axes.at(line.name);
    if (is_derived(line) || value % 2 != 0 || value / 2 < kSmallestHalf) continue;
    if (best == nullptr || value > axes.at(best->name)) best = &line;
  }
  return best;
}

Result<Workload> derive_check(const PlanDraft& draft) {
  Bindings given;
  while (true) {
    KP_TRY(Workload workload, make_workload(draft, WorkloadRole::kCheck, given));
    KP_TRY(const double bytes, total_bytes(draft.parsed.declaration, workload.axes));
    const AxisLine* axis = axis_to_halve(draft, workload.axes);
    if (bytes <= kCheckBytes || axis == nullptr) return workload;
    given[axis->name] = workload.axes.at(axis->name) / 2;
  }
}

Result<void> add_workload(PlanDraft& draft, Workload workload, const SourceSpot& spot) {
  for (const Workload& other : draft.parsed.workloads) {
    if (other.role == workload.role && other.axes == workload.axes) {
      return fail_at(spot, fmt::format("workload `{}` stands twice", workload.name));
    }
    if (other.name == workload.name) workload.name = "check:" + workload.name;
  }
  draft.parsed.workloads.push_back(std::move(workload));
  return {};
}

/// The values of the axis lines are the first workload to time.
Result<void> add_workloads(PlanDraft& draft) {
  KP_TRY(Workload first, make_workload(draft, WorkloadRole::kTime, {}));
  const SourceSpot start = draft.parsed.plan.spot;
  KP_TRY_VOID(add_workload(draft, std::move(first), start));
  bool has_check = false;
  for (const WorkloadRole role : {WorkloadRole::kTime, WorkloadRole::kCheck}) {
    for (const WorkloadLine& line : draft.workloads) {
      if (line.role != role) continue;
      KP_TRY(const Bindings given, values_of(line, draft));
      auto workload = make_workload(draft, role, given);
      if (!workload) return tl::unexpected<Error>(at(std::move(workload).error(), line.spot));
      KP_TRY_VOID(add_workload(draft, *std::move(workload), line.spot));
      has_check |= role == WorkloadRole::kCheck;
    }
  }
  if (has_check) return {};
  KP_TRY(Workload check, derive_check(draft));
  return add_workload(draft, std::move(check), start);
}

Result<void> check_axis_names(const PlanDraft& draft) {
  std::vector<std::string> before;
  for (const AxisLine& line : draft.axes) {
    KP_TRY_VOID(check_names(line.value, before, line.spot));
    before.push_back(line.name);
  }
  for (const RangeLine& line : draft.ranges) {
    KP_TRY_VOID(check_names(line.low, before, line.spot));
    KP_TRY_VOID(check_names(line.high, before, line.spot));
  }
  return {};
}

}  // namespace

Result<void> finish_declaration(PlanDraft& draft) {
  Declaration& declaration = draft.parsed.declaration;
  KP_TRY_VOID(check_axis_names(draft));
  KP_TRY_VOID(check_declaration(declaration, draft.parsed.plan.spot));
  declaration.precision = draft.parsed.plan.precision.value_or(default_precision(declaration));
  KP_TRY_VOID(add_workloads(draft));
  const auto& first = draft.parsed.workloads.front();
  for (const auto& [name, range] : first.distributions) {
    for (Tensor& tensor : declaration.tensors) {
      if (tensor.name == name) tensor.distribution = range;
    }
  }
  return {};
}

}  // namespace kp::task
