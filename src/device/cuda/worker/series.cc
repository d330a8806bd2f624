// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "device/cuda/members.h"
#include "device/cuda/worker/lap.h"
#include "device/cuda/worker/verbs.h"

namespace kp::device::cuda {
namespace {

using Sets = std::vector<ReadySteps>;

struct WireLap {
  std::size_t contender = 0;
  std::vector<std::size_t> sets;
};

Faulty<Sets> sets_from(Executor& executor, const nlohmann::json& contender) {
  KP_OR_FAULT(const int module, or_fault(number_member<int>(contender, "module")));
  KP_OR_FAULT(const nlohmann::json* list, or_fault(list_member(contender, "sets")));
  Sets sets;
  for (const nlohmann::json& steps : *list) {
    KP_OR_FAULT(ReadySteps ready, read_steps(executor, module, steps));
    sets.push_back(std::move(ready));
  }
  return sets;
}

Faulty<std::vector<Sets>> contenders_from(Executor& executor, const nlohmann::json& request) {
  KP_OR_FAULT(const nlohmann::json* list, or_fault(list_member(request, "contenders")));
  std::vector<Sets> contenders;
  for (const nlohmann::json& contender : *list) {
    Faulty<Sets> sets = sets_from(executor, contender);
    if (!sets) sets.error().guilty = static_cast<int>(contenders.size());
    KP_OR_FAULT_VOID(sets);
    contenders.push_back(*std::move(sets));
  }
  return contenders;
}

Faulty<std::vector<WireLap>> laps_from(const nlohmann::json& request,
                                       const std::vector<Sets>& contenders) {
  KP_OR_FAULT(const nlohmann::json* list, or_fault(list_member(request, "laps")));
  std::vector<WireLap> laps;
  for (const nlohmann::json& json : *list) {
    WireLap lap;
    KP_OR_FAULT(lap.contender, or_fault(number_member<std::size_t>(json, "contender")));
    KP_OR_FAULT(lap.sets, or_fault(numbers_member<std::size_t>(json, "sets")));
    if (lap.contender >= contenders.size())
      return refusal(CUDA_ERROR_INVALID_VALUE, "a lap of a contender that is not there");
    const std::size_t count = contenders[lap.contender].size();
    if (std::ranges::any_of(lap.sets, [count](std::size_t set) { return set >= count; }))
      return refusal(CUDA_ERROR_INVALID_VALUE, "a lap on a set that is not there");
    laps.push_back(std::move(lap));
  }
  return laps;
}

LapPlan plan_of(const WireLap& lap, const Sets& sets, bool cold) {
  LapPlan plan{.steps = {}, .stride = 1, .cold = cold};
  for (const std::size_t set : lap.sets) {
    for (const ReadyStep& step : sets[set]) plan.steps.push_back(&step);
  }
  plan.stride = std::max<std::size_t>(1, plan.steps.size());
  return plan;
}

nlohmann::json to_json(const LapReading& reading, double empty) {
  const double nanoseconds = std::max(0.0, reading.nanoseconds.front() - empty);
  return {nanoseconds, reading.sm_hz ? nlohmann::json(*reading.sm_hz) : nlohmann::json()};
}

/// The index within one set of steps, from one in all steps of the lap.
int step_within(int step, const WireLap& lap, const Sets& sets) {
  const auto each = lap.sets.empty() ? 0 : static_cast<int>(sets[lap.sets.front()].size());
  return step < 0 || each == 0 ? -1 : step % each;
}

}  // namespace

Answer series(Executor& executor, const Frame& request) {
  KP_OR_FAULT(const std::vector<Sets> contenders, contenders_from(executor, request.body));
  KP_OR_FAULT(const std::vector<WireLap> laps, laps_from(request.body, contenders));
  KP_OR_FAULT(const bool cold, or_fault(flag_member(request.body, "cold")));
  KP_OR_FAULT(const double empty, empty_lap(executor));
  nlohmann::json readings = nlohmann::json::array();
  for (const WireLap& lap : laps) {
    const auto number = static_cast<std::uint32_t>(readings.size());
    std::memcpy(executor.staging.data(), &number, sizeof number);
    const Sets& sets = contenders[lap.contender];
    Faulty<LapReading> reading = run_lap(executor, plan_of(lap, sets, cold));
    if (!reading) {
      reading.error().guilty = static_cast<int>(lap.contender);
      reading.error().step = step_within(reading.error().step, lap, sets);
      return tl::unexpected<Fault>(std::move(reading).error());
    }
    readings.push_back(to_json(*reading, empty));
  }
  return Frame{{{"laps", std::move(readings)}, {"empty_ns", empty}}, {}};
}

Answer times(Executor& executor, const Frame& request) {
  KP_OR_FAULT(const ReadySteps steps, read_steps(executor, request.body));
  KP_OR_FAULT(const int runs, or_fault(number_member<int>(request.body, "runs")));
  KP_OR_FAULT(const double empty, empty_lap(executor));
  LapPlan plan;
  for (const ReadyStep& step : steps) plan.steps.push_back(&step);
  std::vector<std::vector<double>> times(steps.size());
  for (int i = 0; i < runs; ++i) {
    KP_OR_FAULT(const LapReading reading, run_lap(executor, plan));
    for (std::size_t step = 0; step < steps.size(); ++step)
      times[step].push_back(std::max(0.0, reading.nanoseconds[step] - empty));
  }
  return Frame{{{"steps", times}, {"empty_ns", empty}}, {}};
}

}  // namespace kp::device::cuda
