// SPDX-License-Identifier: Apache-2.0
#include "harness/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/random.h"
#include "base/text.h"
#include "harness/contest_shape.h"
#include "harness/samples.h"

namespace kp::harness {
namespace {

using Seconds = std::chrono::duration<double>;
using MaybeOutcome = Result<std::optional<Outcome>>;

constexpr double kPatienceSeconds = 0.6;  // of a quick contest, once it has kFewPairs
constexpr int kFewPairs = 3;
constexpr std::chrono::milliseconds kPause{50};  // after a round with void samples

std::optional<Outcome> outcome_of(const device::Mishap& mishap) {
  if (const auto* crashed = std::get_if<Crashed>(&mishap)) return Outcome(*crashed);
  if (const auto* late = std::get_if<TimedOut>(&mishap)) return Outcome(*late);
  return {};
}

tl::unexpected<Error> baseline_failed(const VerifyRequest& request, const Outcome& outcome) {
  Evaluation evaluation;
  evaluation.outcome = outcome;
  return fail_at({request.task.baseline_path.string(), 0, 0},
                 "the baseline fails beside the candidate: " + summary(evaluation),
                 "`kernelpro eval` of the baseline shows more");
}

/// One contender with its sets of arrays.
struct Side {
  const Candidate* candidate;
  const build::Binary* binary;
  std::vector<std::unique_ptr<ArraySet>> sets;
};

}  // namespace

struct Contest::State {
  const VerifyRequest& request;
  const Bench& bench;
  const Workload& workload;
  Random keys;
  Arena arena;
  std::vector<Side> sides;  // the candidate, then the baseline where there is one
  std::unique_ptr<Answers> answers;
  Samples samples;
  ContestShape shape;
  ContestReport report;
  std::uint64_t print_key = 0;
  std::vector<Hash128> prints;  // of the candidate's outputs, after the last round
  std::uint64_t next_set = 0;
  std::size_t active = 1;  // sets of each side that the round at hand uses

  std::span<const std::unique_ptr<ArraySet>> playing(const Side& side) const {
    return std::span(side.sets).first(active);
  }
  Result<std::optional<Outcome>> grow(std::size_t sets);
  Result<std::optional<Outcome>> open_set(Side& side);
  Result<void> fill();
  Result<std::optional<Outcome>> prepare(device::Loaded& loaded);
  Result<std::variant<device::SeriesReport, Outcome>> play(device::Loaded& loaded,
                                                           const std::vector<device::Lap>& laps);
  Result<std::variant<device::SeriesReport, Outcome>> round(device::Loaded& loaded,
                                                            const std::vector<device::Lap>& laps);
  Result<std::optional<Outcome>> verify_outputs();
  Result<std::optional<Outcome>> verify_kept();
  Result<std::optional<Outcome>> verify_set(const ArraySet& set);
  Result<std::optional<Outcome>> judge(const ArraySet& set, const Tensor& tensor,
                                       const Comparison& comparison, GateVerdict verdict);
  Result<std::optional<Outcome>> unwritten(const ArraySet& set);
  Result<std::vector<Hash128>> fingerprints();
  Result<std::optional<Outcome>> pilot(device::Loaded& loaded);
  Result<std::optional<Outcome>> measure(device::Loaded& loaded);
  std::vector<Pair> pairs_of(const device::SeriesReport& series) const;
  Result<std::optional<Outcome>> time_prepare(device::Loaded& loaded);
};

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

MaybeOutcome Contest::State::open_set(Side& side) {
  const RigRequest rig{.device = request.device,
                       .loaded = request.loaded,
                       .binary = *side.binary,
                       .task = request.task,
                       .candidate = *side.candidate,
                       .workload = workload,
                       .buffers = &arena,
                       .red_zone = red_zone_for(request.device, request.options)};
  KP_TRY(auto opened, ArraySet::open(rig, next_set++));
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
    std::vector<device::BoundStep> steps;
    for (const auto& set : playing(side))
      steps.insert(steps.end(), set->rig().prepare().begin(), set->rig().prepare().end());
    if (steps.empty()) continue;
    const device::RunRequest run{.steps = steps,
                                 .deadline_seconds = request.options.deadline_seconds};
    const bool mine = side.binary == &request.binary;
    KP_TRY(const device::Mishap mishap,
           mine ? request.device.run(loaded, run)
                : bench.hardware.trusted().run(*bench.baseline->loaded, run));
    auto bad = outcome_of(mishap);
    if (bad && !mine) return baseline_failed(request, *bad);
    if (bad) return bad;
  }
  return std::optional<Outcome>{};
}

Result<std::variant<device::SeriesReport, Outcome>> Contest::State::play(
    device::Loaded& loaded, const std::vector<device::Lap>& laps) {
  using Played = std::variant<device::SeriesReport, Outcome>;
  std::vector<device::Contender> contenders;
  for (const Side& side : sides) {
    device::Contender& contender = contenders.emplace_back();
    if (side.binary != &request.binary) contender.binary = side.binary;
    for (const auto& set : side.sets) contender.sets.push_back(set->rig().steps());
  }
  KP_TRY(device::SeriesReport series,
         bench.hardware.series(loaded, {.contenders = contenders,
                                        .laps = laps,
                                        .deadline_seconds = request.options.deadline_seconds}));
  if (auto bad = outcome_of(series.mishap)) {
    if (series.guilty > 0) return baseline_failed(request, *bad);
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

/// Everything around one series: fresh arrays before, all outputs verified after.
Result<std::variant<device::SeriesReport, Outcome>> Contest::State::round(
    device::Loaded& loaded, const std::vector<device::Lap>& laps) {
  using Played = std::variant<device::SeriesReport, Outcome>;
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

Result<std::vector<Hash128>> Contest::State::fingerprints() {
  std::vector<Region> regions;
  for (const auto& set : playing(sides.front())) {
    const auto own = set->outputs();
    regions.insert(regions.end(), own.begin(), own.end());
  }
  return bench.referee.fingerprint(regions, print_key);
}

MaybeOutcome Contest::State::verify_outputs() {
  KP_TRY(auto bad, verify_kept());
  for (const auto& set : playing(sides.front())) {
    if (bad) return bad;
    KP_TRY(bad, answers ? verify_set(*set) : unwritten(*set));
    ++report.launches;
  }
  if (bad) return bad;
  KP_TRY(const auto now, fingerprints());
  if (now == prints) return std::optional<Outcome>{};
  return std::optional<Outcome>(
      Rejected{"late-write", fmt::format("outputs changed after the candidate's last launch had "
                                         "ended (workload {})",
                                         workload.name)});
}

/// Inputs are as they were, and nothing was written beside the arrays.
MaybeOutcome Contest::State::verify_kept() {
  std::vector<Filling> fillings;
  std::vector<const ArraySet::Kept*> kept;
  for (const auto& set : playing(sides.front())) {
    for (const ArraySet::Kept& item : set->kept()) {
      kept.push_back(&item);
      fillings.push_back(item.filling);
    }
  }
  KP_TRY(const auto results, bench.referee.recall(fillings));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].different == 0) continue;
    const std::string& name = kept[i]->name;
    const std::string where = fmt::format("`{}` (timed run, workload {})", name, workload.name);
    if (kept[i]->canary)
      return std::optional<Outcome>(Rejected{"canary", "the candidate wrote beside " + where});
    return std::optional<Outcome>(
        Rejected{"input-written", "the candidate changed its input " + where});
  }
  return std::optional<Outcome>{};
}

MaybeOutcome Contest::State::verify_set(const ArraySet& set) {
  KP_TRY_VOID(answers->compute(set, bench.referee));
  std::vector<const Tensor*> tensors;
  std::vector<Comparison> comparisons;
  for (const Tensor& tensor : request.task.declaration.tensors) {
    if (tensor.role != TensorRole::kOutput && tensor.role != TensorRole::kInOut) continue;
    tensors.push_back(&tensor);
    comparisons.push_back(answers->comparison(
        tensor.name, gate_for(request, tensor, ValueSet::kContract, workload), set));
  }
  KP_TRY(const auto verdicts, bench.referee.compare(comparisons));
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    KP_TRY(auto bad, judge(set, *tensors[i], comparisons[i], verdicts[i]));
    if (bad) return bad;
  }
  return std::optional<Outcome>{};
}

MaybeOutcome Contest::State::judge(const ArraySet& set, const Tensor& tensor,
                                   const Comparison& comparison, GateVerdict verdict) {
  const bool nearer =
      verdict.limit > 0 && verdict.error * report.limit >= report.error * verdict.limit;
  if (nearer) report.error = verdict.error, report.limit = verdict.limit;
  if (!verdict.failure) return std::optional<Outcome>{};
  GateFailure& failure = *verdict.failure;
  if (const Filling* poison = set.poison(tensor.name)) {
    Filling one = *poison;
    one.first = failure.index;
    one.count = 1;
    KP_TRY(const auto recalled, bench.referee.recall({&one, 1}));
    if (recalled[0].same == 1) failure.gate = "unwritten";
  }
  const std::size_t at = failure.index;
  KP_TRY(const auto got, bench.referee.read(comparison.got, tensor.dtype, at, at + 1));
  KP_TRY(const auto expected,
         bench.referee.read(comparison.expected, comparison.expected_dtype, at, at + 1));
  WrongAnswer wrong = wrong_answer({.tensor = tensor,
                                    .workload = workload,
                                    .failure = failure,
                                    .expected = expected[0],
                                    .got = got[0]});
  wrong.message += ", in a timed run";
  return std::optional<Outcome>(std::move(wrong));
}

/// All that can be said where nothing computes the outputs of large workloads: they were written.
MaybeOutcome Contest::State::unwritten(const ArraySet& set) {
  for (const Tensor& tensor : request.task.declaration.tensors) {
    const Filling* poison = set.poison(tensor.name);
    if (poison == nullptr || tensor.role != TensorRole::kOutput) continue;
    KP_TRY(const auto recalled, bench.referee.recall({poison, 1}));
    // Values of one or two bytes may equal the pattern by chance, one in 256 at most.
    if (recalled[0].same * 64 <= poison->count) continue;
    WrongAnswer wrong = wrong_answer({.tensor = tensor,
                                      .workload = workload,
                                      .failure = {"unwritten", 1, 0, recalled[0].first_same}});
    return std::optional<Outcome>(std::move(wrong));
  }
  return std::optional<Outcome>{};
}

/// One lap each: what a run takes, to choose the shape of the rounds that count.
MaybeOutcome Contest::State::pilot(device::Loaded& loaded) {
  KP_TRY(auto bad, grow(1));
  if (bad) return bad;
  shape = {};
  KP_TRY(auto played, round(loaded, laps_of(shape, sides.size(), false)));
  if (auto* failed = std::get_if<Outcome>(&played))
    return std::optional<Outcome>(std::move(*failed));
  const auto& series = std::get<device::SeriesReport>(played);
  ShapeRequest wanted{.depth = request.depth,
                      .sides = sides.size(),
                      .set_bytes = sides.front().sets.front()->bytes(),
                      .spec = request.device.describe().spec};
  for (const device::LapTime& lap : series.laps) wanted.lap_nanoseconds.push_back(lap.nanoseconds);
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
    if (request.depth == Depth::kQuick && samples.pairs() >= kFewPairs &&
        elapsed > kPatienceSeconds)
      break;
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
         request.device.time(
             loaded, {.steps = steps, .deadline_seconds = request.options.deadline_seconds}));
  report.prepare_nanoseconds = timed.nanoseconds;
  return outcome_of(timed.mishap);
}

Result<std::variant<ContestReport, Outcome>> Contest::run(device::Loaded& loaded) {
  using Ran = std::variant<ContestReport, Outcome>;
  State& state = *state_;
  if (state.bench.opinion) {
    const Precision precision =
        state.request.candidate.plan.precision.value_or(state.request.task.declaration.precision);
    KP_TRY(state.answers, Answers::open(*state.bench.opinion, state.workload,
                                        state.bench.hardware.trusted(), precision));
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
  return Ran(state.report);
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
