// SPDX-License-Identifier: Apache-2.0
// One round of a contest: sets of arrays, what they hold, and the series of laps on them.
#include <fmt/format.h>

#include "base/text.h"
#include "harness/contest_state.h"

namespace kp::harness {
namespace {

tl::unexpected<Error> baseline_failed(const VerifyRequest& request, const Outcome& outcome) {
  Evaluation evaluation;
  evaluation.outcome = outcome;
  return fail_at({request.task.baseline_path.string(), 0, 0},
                 "the baseline fails beside the candidate: " + summary(evaluation),
                 "`kernelpro eval` of the baseline shows more");
}

/// The baseline has run alone in this process. Who was running when it failed is what the process
/// says, and the candidate shares it.
Outcome harmed(const Outcome& outcome) {
  Evaluation evaluation;
  evaluation.outcome = outcome;
  return Rejected{"harms-baseline",
                  "the baseline fails beside the candidate, and not alone: " + summary(evaluation)};
}

}  // namespace

MaybeOutcome Contest::State::open_set(Side& side) {
  const RigRequest rig{.device = request.device,
                       .loaded = request.loaded,
                       .binary = *side.binary,
                       .task = request.task,
                       .candidate = *side.candidate,
                       .workload = workload,
                       .buffers = &arena,
                       .red_zone = red_zone_for(request.device, request.options)};
  KP_TRY(auto opened, ArraySet::open(rig, next_set++, bench.referee));
  if (auto* bad = std::get_if<Outcome>(&opened)) {
    if (side.binary != &request.binary) return baseline_failed(request, *bad);
    return std::optional<Outcome>(std::move(*bad));
  }
  side.sets.push_back(std::get<std::unique_ptr<ArraySet>>(std::move(opened)));
  return std::optional<Outcome>{};
}

/// Each side gets `sets` sets of arrays in all.
MaybeOutcome Contest::State::grow(std::size_t sets) {
  while (sides.front().sets.size() < sets) {
    for (Side& side : sides) {
      KP_TRY(auto bad, open_set(side));
      if (bad) return bad;
    }
  }
  return std::optional<Outcome>{};
}

/// New inputs, poison and canaries everywhere.
Result<void> Contest::State::fill() {
  const std::uint64_t key = keys.bits64();
  std::vector<Filling> fillings;
  for (const Side& side : sides) {
    for (const auto& set : playing(side)) {
      set->draw(key);
      fillings.insert(fillings.end(), set->fillings().begin(), set->fillings().end());
    }
  }
  return bench.referee.fill(fillings);
}

MaybeOutcome Contest::State::prepare(device::Loaded& loaded) {
  for (const Side& side : sides) {
    KP_TRY(auto bad, prepare_side(side, loaded));
    if (bad) return bad;
  }
  return std::optional<Outcome>{};
}

MaybeOutcome Contest::State::prepare_side(const Side& side, device::Loaded& loaded) {
  std::vector<device::BoundStep> steps;
  for (const auto& set : playing(side))
    steps.insert(steps.end(), set->rig().prepare().begin(), set->rig().prepare().end());
  if (steps.empty()) return std::optional<Outcome>{};
  const device::RunRequest run{.steps = steps, .deadline_seconds = deadline(active)};
  const bool mine = side.binary == &request.binary;
  KP_TRY(const device::Mishap mishap,
         mine ? request.device.run(loaded, run)
              : bench.hardware.trusted().run(*bench.baseline->loaded, run));
  auto bad = outcome_of(mishap);
  if (bad && !mine) return baseline_failed(request, *bad);
  return bad;
}

/// For so many runs of the plan; what the task allows as long as nobody knows what one takes.
double Contest::State::deadline(std::size_t runs) const {
  if (!run_time) return request.options.deadline_seconds;
  return deadline_for(static_cast<double>(runs) * *run_time);
}

Result<Played> Contest::State::play(device::Loaded& loaded, const std::vector<device::Lap>& laps) {
  std::vector<device::Contender> contenders;
  for (const Side& side : sides) {
    device::Contender& contender = contenders.emplace_back();
    if (side.binary != &request.binary) contender.binary = side.binary;
    for (const auto& set : side.sets) contender.sets.push_back(set->rig().steps());
  }
  std::size_t runs = 0;
  for (const device::Lap& lap : laps) runs += lap.sets.size();
  KP_TRY(device::SeriesReport series,
         bench.hardware.series(
             loaded, {.contenders = contenders, .laps = laps, .deadline_seconds = deadline(runs)}));
  if (auto bad = outcome_of(series.mishap)) {
    if (series.guilty > 0 && !run_time) return baseline_failed(request, *bad);
    if (series.guilty > 0) return Played(harmed(*bad));
    return Played(*std::move(bad));
  }
  if (series.laps.size() != laps.size())
    return fail(ErrorCode::kUnavailable,
                fmt::format("the GPU process timed {} of {} laps", series.laps.size(), laps.size()),
                "repeat; `kernelpro doctor` checks the GPU");
  double sum = 0;
  for (const device::LapTime& lap : series.laps) sum += lap.nanoseconds;
  if (series.wall_seconds > 0 && sum > series.wall_seconds * 1e9)
    return Played(Outcome(Rejected{
        "clock",
        fmt::format("the events of a series add up to {}, the judge's own clock saw {}",
                    format_duration_ns(sum), format_duration_ns(series.wall_seconds * 1e9))}));
  return Played(std::move(series));
}

/// One lap of the baseline, so that nothing of the candidate is waited for longer than it deserves.
MaybeOutcome Contest::State::time_baseline(device::Loaded& loaded) {
  if (sides.size() < 2) return std::optional<Outcome>{};
  auto* known = bench.baseline_times;
  if (known != nullptr && known->contains(workload.name)) {
    run_time = known->at(workload.name);
    return std::optional<Outcome>{};
  }
  active = 1;
  KP_TRY_VOID(fill());
  KP_TRY(auto bad, prepare_side(sides.back(), loaded));
  if (bad) return bad;
  KP_TRY(auto played, play(loaded, {{.contender = 1, .sets = {0}}}));
  if (auto* failed = std::get_if<Outcome>(&played)) return std::optional(std::move(*failed));
  run_time = std::get<device::SeriesReport>(played).laps.front().nanoseconds;
  if (known != nullptr) known->emplace(workload.name, *run_time);
  return std::optional<Outcome>{};
}

/// Everything around one series: fresh arrays before, all outputs verified after.
Result<Played> Contest::State::round(device::Loaded& loaded, const std::vector<device::Lap>& laps) {
  active = 0;
  for (const device::Lap& lap : laps)
    if (lap.contender == 0) active += lap.sets.size();
  KP_TRY_VOID(fill());
  KP_TRY(auto bad, prepare(loaded));
  if (bad) return Played(*std::move(bad));
  KP_TRY(auto played, play(loaded, laps));
  if (std::holds_alternative<Outcome>(played)) return played;
  print_key = keys.bits64();
  KP_TRY(prints, fingerprints());
  KP_TRY(bad, verify_outputs());
  if (bad) return Played(*std::move(bad));
  return played;
}

}  // namespace kp::harness
