// SPDX-License-Identifier: Apache-2.0
#include "harness/contest.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "harness/contest_state.h"

namespace kp::harness {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr double kPatienceSeconds = 0.6;  // of a quick contest, once it has kFewPairs
constexpr double kNarrowSeconds = 0.35;   // of one that has enough of them for a wide interval
constexpr int kFewPairs = 3;
constexpr std::size_t kTimedLaps = 32;           // at most, of Device::time on hardware
constexpr std::chrono::milliseconds kPause{50};  // after a round with void samples

/// A quick contest ends with what it has: a verdict must not wait for the last percent.
bool weary(int pairs, double seconds) {
  return (pairs >= kFewPairs && seconds > kPatienceSeconds) ||
         (pairs >= kQuickPairs && seconds > kNarrowSeconds);
}

}  // namespace

Contest::Contest(const VerifyRequest& request, const Bench& bench, const Workload& workload,
                 std::uint64_t key)
    : state_(
          new State{.request = request,
                    .bench = bench,
                    .workload = workload,
                    .keys = Random(key),
                    .arena = Arena(request.device.buffers()),
                    .samples = Samples(request.depth, request.device.describe().spec.clock_hz)}) {
  state_->sides.push_back({&request.candidate, &request.binary, {}});
  if (bench.baseline)
    state_->sides.push_back({&bench.baseline->candidate, &bench.baseline->binary, {}});
}

Contest::~Contest() = default;

/// One lap each: what a run takes, to choose the shape of the rounds that count.
MaybeOutcome Contest::State::pilot(device::Loaded& loaded) {
  KP_TRY(auto bad, grow(1));
  if (bad) return bad;
  shape = {};
  KP_TRY(bad, time_baseline(loaded));
  if (bad) return bad;
  KP_TRY(auto played, round(loaded, laps_of(shape, sides.size(), false)));
  if (auto* failed = std::get_if<Outcome>(&played))
    return std::optional<Outcome>(std::move(*failed));
  const auto& series = std::get<device::SeriesReport>(played);
  ShapeRequest wanted{.depth = request.depth,
                      .sides = sides.size(),
                      .set_bytes = sides.front().sets.front()->bytes(),
                      .other_bytes = answers ? answers->bytes() : 0,
                      .spec = request.device.describe().spec};
  for (const device::LapTime& lap : series.laps) wanted.lap_nanoseconds.push_back(lap.nanoseconds);
  if (!run_time) run_time = wanted.lap_nanoseconds.front();
  shape = shape_for(wanted);
  return grow(shape.sets());
}

std::vector<Pair> Contest::State::pairs_of(const device::SeriesReport& series) const {
  const auto per_run = [this](device::LapTime lap) {
    lap.nanoseconds /= static_cast<double>(shape.per_lap);
    return lap;
  };
  std::vector<Pair> pairs;
  const std::size_t step = sides.size();
  for (std::size_t i = 0; i + step <= series.laps.size(); i += step) {
    const bool turned = baseline_first(shape, i / step);
    Pair pair{.candidate = per_run(series.laps[step == 2 && turned ? i + 1 : i])};
    if (step == 2) pair.baseline = per_run(series.laps[turned ? i : i + 1]);
    pairs.push_back(pair);
  }
  return pairs;
}

MaybeOutcome Contest::State::measure(device::Loaded& loaded) {
  const auto start = std::chrono::steady_clock::now();
  while (!samples.enough()) {
    const double elapsed = Seconds(std::chrono::steady_clock::now() - start).count();
    if (request.depth == Depth::kQuick && weary(samples.pairs(), elapsed)) break;
    const device::GpuState before = bench.hardware.state();
    KP_TRY(auto played, round(loaded, laps_of(shape, sides.size(), true)));
    if (auto* bad = std::get_if<Outcome>(&played)) return std::optional<Outcome>(std::move(*bad));
    const auto pairs = pairs_of(std::get<device::SeriesReport>(played));
    const device::GpuState after = bench.hardware.state();
    if (samples.add(pairs, before, after) > 0) std::this_thread::sleep_for(kPause);
  }
  return std::optional<Outcome>{};
}

MaybeOutcome Contest::State::time_prepare(device::Loaded& loaded) {
  const auto& steps = sides.front().sets.front()->rig().prepare();
  if (steps.empty()) return std::optional<Outcome>{};
  KP_TRY(const device::TimeReport timed,
         request.device.time(loaded, {.steps = steps, .deadline_seconds = deadline(kTimedLaps)}));
  report.prepare_nanoseconds = timed.nanoseconds;
  return outcome_of(timed.mishap);
}

Result<std::variant<ContestReport, Outcome>> Contest::run(device::Loaded& loaded) {
  using Ran = std::variant<ContestReport, Outcome>;
  State& state = *state_;
  if (state.bench.opinion) {
    const Precision precision =
        state.request.candidate.plan.precision.value_or(state.request.task.declaration.precision);
    // Before the candidate has any arrays.
    KP_TRY(auto opened,
           state.bench.opinion->answers(state.workload, precision, state.bench.referee));
    state.answers = std::move(opened.answers);
    state.report.answers = std::move(opened.note);
  }
  KP_TRY(auto bad, state.pilot(loaded));
  if (!bad) {
    KP_TRY(bad, state.measure(loaded));
  }
  if (!bad) {
    KP_TRY(bad, state.time_prepare(loaded));
  }
  if (bad) return Ran(*std::move(bad));
  KP_TRY_VOID(state.samples.check_voids());
  state.report.nanoseconds = state.samples.nanoseconds();
  state.report.interval = state.samples.interval();
  state.report.speedup = state.samples.speedup();
  state.report.void_pairs = state.samples.void_pairs();
  state.report.slow_pairs = state.samples.slow_pairs();
  state.report.candidate_hz = state.samples.candidate_hz();
  state.report.baseline_hz = state.samples.baseline_hz();
  return Ran(state.report);
}

Result<std::variant<double, Outcome>> Contest::rehearse(device::Loaded& loaded) {
  using Ran = std::variant<double, Outcome>;
  KP_TRY(auto bad, state_->grow(1));
  if (bad) return Ran(*std::move(bad));
  KP_TRY(auto played, state_->round(loaded, {{.contender = 0, .sets = {0}}}));
  if (auto* failed = std::get_if<Outcome>(&played)) return Ran(std::move(*failed));
  return Ran(std::get<device::SeriesReport>(played).laps.back().nanoseconds);
}

const std::vector<device::BoundStep>& Contest::steps() const {
  return state_->sides.front().sets.front()->rig().steps();
}

Result<std::optional<Outcome>> Contest::late_writer() {
  KP_TRY(const auto now, state_->fingerprints());
  if (now == state_->prints) return std::optional<Outcome>{};
  return std::optional<Outcome>(
      Rejected{"late-write", fmt::format("outputs changed after the candidate's process had ended "
                                         "(workload {})",
                                         state_->workload.name)});
}

Result<std::variant<double, Outcome>> Contest::first_launch() {
  using First = std::variant<double, Outcome>;
  State& state = *state_;
  KP_TRY(auto loaded, state.request.device.load(state.request.binary));
  if (const auto* crashed = std::get_if<Crashed>(&loaded)) return First(Outcome(*crashed));
  // The baseline warms the GPU up; nothing of the candidate has run in this process.
  std::vector<device::Lap> laps{{.contender = 0, .sets = {0}}};
  if (state.sides.size() == 2) laps.insert(laps.begin(), {.contender = 1, .sets = {0}});
  KP_TRY(auto played, state.round(*std::get<std::unique_ptr<device::Loaded>>(loaded), laps));
  if (auto* bad = std::get_if<Outcome>(&played)) return First(std::move(*bad));
  return First(std::get<device::SeriesReport>(played).laps.back().nanoseconds);
}

}  // namespace kp::harness
