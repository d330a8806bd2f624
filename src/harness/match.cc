// SPDX-License-Identifier: Apache-2.0
#include "harness/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "base/random.h"
#include "base/text.h"
#include "harness/labels.h"
#include "harness/profiling.h"
#include "harness/span_check.h"

namespace kp::harness {
namespace {

using MaybeOutcome = Result<std::optional<Outcome>>;
using Clock = std::chrono::steady_clock;

constexpr double kClockNote = 0.02;  // usual clocks that differ by more are worth a sentence
// Before a contest whose samples were void is repeated.
constexpr std::chrono::seconds kCoolDown{1};
constexpr int kFirstLaunches = 3;
constexpr double kFirstShare = 0.1, kFirstNanoseconds = 5e3;  // a first launch may take more

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Match {
 public:
  Match(const VerifyRequest& request, const Bench& bench, std::uint64_t key,
        std::map<std::string, double>& phases)
      : request_(request), bench_(bench), keys_(key), phases_(phases) {}

  Result<std::variant<Timed, Outcome>> play() {
    using Played = std::variant<Timed, Outcome>;
    timed_.measured.grade = Grade::kMeasured;
    for (const Workload* workload : request_.task.with_role(WorkloadRole::kTime)) {
      KP_TRY(auto bad, play_workload(*workload));
      if (bad) return Played(*std::move(bad));
    }
    sum_up();
    KP_TRY(auto bad, play_beside());
    if (bad) return Played(*std::move(bad));
    note_surroundings();
    return Played(std::move(timed_));
  }

 private:
  bool is_final() const { return request_.depth == Depth::kFinal; }

  /// After the result is known: these are no part of it.
  MaybeOutcome play_beside() {
    if (!is_final()) return std::optional<Outcome>{};
    for (const Workload* workload : request_.task.with_role(WorkloadRole::kBeside)) {
      KP_TRY(auto bad, play_workload(*workload));
      if (bad) return bad;
    }
    return std::optional<Outcome>{};
  }

  MaybeOutcome play_workload(const Workload& workload) {
    const auto start = Clock::now();
    std::optional<Contest> contest;
    auto ran = run_once(workload, contest);
    if (is_void(ran)) {
      std::this_thread::sleep_for(kCoolDown);
      ran = run_once(workload, contest);
    }
    phases_["contest"] += seconds_since(start);
    // The run can go on without this candidate, but not without a baseline.
    if (is_void(ran) && !is_baseline())
      return std::optional<Outcome>(Rejected{
          "void-samples", ran.error().message + "; this says nothing about the candidate itself"});
    KP_TRY(auto played, std::move(ran));
    if (auto* bad = std::get_if<Outcome>(&played)) return std::optional<Outcome>(std::move(*bad));
    return accept(workload, *contest, std::get<ContestReport>(played));
  }

  using Attempt = Result<std::variant<ContestReport, Outcome>>;

  /// `contest` is made anew: its arrays are wanted when the contest is over.
  Attempt run_once(const Workload& workload, std::optional<Contest>& contest) {
    contest.emplace(request_, bench_, workload, keys_.bits64());
    return is_final() ? run_apart(*contest) : contest->run(request_.loaded);
  }

  static bool is_void(const Attempt& ran) { return !ran && ran.error().code == ErrorCode::kBusy; }

  bool is_baseline() const {
    return bench_.baseline && bench_.baseline->candidate.id() == request_.candidate.id();
  }

  /// In a process of its own that is gone before the arrays are looked at for the last time; then
  /// first launches, to compare with.
  Result<std::variant<ContestReport, Outcome>> run_apart(Contest& contest) {
    using Ran = std::variant<ContestReport, Outcome>;
    KP_TRY(auto loaded, request_.device.load(request_.binary));
    if (const auto* crashed = std::get_if<Crashed>(&loaded)) return Ran(Outcome(*crashed));
    auto& candidate = std::get<std::unique_ptr<device::Loaded>>(loaded);
    KP_TRY(auto ran, contest.run(*candidate));
    candidate.reset();
    if (std::holds_alternative<Outcome>(ran)) return ran;
    KP_TRY(auto bad, contest.late_writer());
    if (!bad) {
      KP_TRY(bad, compare_first_launches(contest, std::get<ContestReport>(ran).nanoseconds));
    }
    if (bad) return Ran(*std::move(bad));
    return ran;
  }

  MaybeOutcome compare_first_launches(Contest& contest, double steady) {
    std::vector<double> times;
    for (int i = 0; i < kFirstLaunches; ++i) {
      KP_TRY(auto first, contest.first_launch());
      if (auto* bad = std::get_if<Outcome>(&first)) return std::optional<Outcome>(std::move(*bad));
      times.push_back(std::get<double>(first));
    }
    const double fastest = *std::min_element(times.begin(), times.end());
    if (fastest > steady * (1 + kFirstShare) + kFirstNanoseconds)
      timed_.measured.labels.push_back(
          {"stateful", fmt::format("first launches in fresh processes take {}, later ones {}",
                                   format_duration_ns(fastest), format_duration_ns(steady))});
    return std::optional<Outcome>{};
  }

  MaybeOutcome accept(const Workload& workload, const Contest& contest,
                      const ContestReport& report) {
    KP_TRY(auto too_fast, below_floor(request_, workload, report.nanoseconds));
    if (too_fast) return too_fast;
    Measured& measured = timed_.measured;
    measured.workloads.push_back({workload.name, report.nanoseconds, report.interval.low,
                                  report.interval.high, report.speedup});
    const bool nearer = report.limit > 0 &&
                        report.error * measured.error_limit >= measured.worst_error * report.limit;
    if (nearer) measured.worst_error = report.error, measured.error_limit = report.limit;
    timed_.notes.push_back(fmt::format("{}: {} runs of the plan verified, {} void pairs repeated",
                                       workload.name, report.launches, report.void_pairs));
    auto& notes = timed_.notes;
    if (!report.answers.empty() &&
        std::find(notes.begin(), notes.end(), report.answers) == notes.end())
      notes.push_back(report.answers);
    if (report.slow_pairs > 0)
      timed_.notes.push_back(
          fmt::format("{}: {} pairs ran at less than 0.75 of the highest clock, both sides alike: "
                      "times are those under this GPU's power limit",
                      workload.name, report.slow_pairs));
    if (report.candidate_hz && report.baseline_hz &&
        std::fabs(*report.candidate_hz - *report.baseline_hz) > kClockNote * *report.baseline_hz)
      timed_.notes.push_back(
          fmt::format("{}: the candidate keeps the SMs at {:.2f} GHz, the baseline at {:.2f} GHz: "
                      "part of the ratio is power",
                      workload.name, *report.candidate_hz * 1e-9, *report.baseline_hz * 1e-9));
    if (report.prepare_nanoseconds)
      timed_.notes.push_back(prepare_note(workload, *report.prepare_nanoseconds, Grade::kMeasured));
    KP_TRY_VOID(label(workload, report.nanoseconds));
    if (is_final()) {
      KP_TRY(auto contradicted, compare_clocks(workload, contest));
      if (contradicted) return contradicted;
    }
    return measured.workloads.size() == 1 ? profile(workload, contest, report)
                                          : MaybeOutcome(std::optional<Outcome>{});
  }

  Result<void> label(const Workload& workload, double nanoseconds) {
    const Declaration& declaration = request_.task.declaration;
    KP_TRY(
        const auto labels,
        labels_for({.declaration = declaration,
                    .workload = workload,
                    .spec = request_.device.describe().spec,
                    .precision = request_.candidate.plan.precision.value_or(declaration.precision),
                    .nanoseconds = nanoseconds}));
    auto& all = timed_.measured.labels;
    all.insert(all.end(), labels.begin(), labels.end());
    return {};
  }

  /// Events against CUPTI's records, in a pass of its own: tracing costs time.
  MaybeOutcome compare_clocks(const Workload& workload, const Contest& contest) {
    KP_TRY(auto checked, check_span({.hardware = bench_.hardware,
                                     .loaded = request_.loaded,
                                     .steps = contest.steps(),
                                     .workload = workload.name,
                                     .deadline_seconds = request_.options.deadline_seconds}));
    if (auto* bad = std::get_if<Outcome>(&checked)) return std::optional<Outcome>(std::move(*bad));
    timed_.notes.push_back(std::get<std::string>(std::move(checked)));
    return std::optional<Outcome>{};
  }

  MaybeOutcome profile(const Workload& workload, const Contest& contest,
                       const ContestReport& report) {
    const auto start = Clock::now();
    using Effort = profile::ProfileRequest::Effort;
    const TimedRun run{workload, contest.steps(), report.nanoseconds, report.interval.low,
                       report.interval.high};
    KP_TRY(timed_.measured.profile, profile_run(request_, bench_.hardware, run,
                                                is_final() ? Effort::kFull : Effort::kTriage));
    phases_["profile"] += seconds_since(start);
    return std::optional<Outcome>{};
  }

  /// Geometric means over the workloads; the ends of the intervals as well.
  void sum_up() {
    const auto& workloads = timed_.measured.workloads;
    double time = 0, value = 0, low = 0, high = 0;
    int pairs = 0;
    bool all = true;
    for (const TimedWorkload& timed : workloads) {
      time += std::log(timed.nanoseconds);
      all = all && timed.speedup;
      if (!timed.speedup) continue;
      value += std::log(timed.speedup->value);
      low += std::log(timed.speedup->low);
      high += std::log(timed.speedup->high);
      pairs += timed.speedup->pairs;
    }
    const double count = static_cast<double>(workloads.size());
    timed_.measured.nanoseconds = std::exp(time / count);
    if (all)
      timed_.measured.speedup =
          Speedup{std::exp(value / count), std::exp(low / count), std::exp(high / count), pairs};
  }

  void note_surroundings() {
    if (bench_.opinion == nullptr)
      timed_.notes.push_back(
          "timed outputs: not compared, the task has no baseline and no reference.cu");
    const device::GpuState state = bench_.hardware.state();
    std::vector<std::string> parts;
    if (state.sm_hz) parts.push_back(fmt::format("SM {:.0f} MHz", *state.sm_hz / 1e6));
    if (state.memory_hz) parts.push_back(fmt::format("memory {:.0f} MHz", *state.memory_hz / 1e6));
    if (state.celsius) parts.push_back(fmt::format("{:.0f} C", *state.celsius));
    if (state.watts) parts.push_back(fmt::format("{:.0f} W", *state.watts));
    if (!parts.empty()) timed_.notes.push_back("GPU: " + join(parts, ", "));
    if (state.other_processes.value_or(0) > 0)
      timed_.notes.push_back(
          fmt::format("{} other processes compute on this GPU", *state.other_processes));
  }

  const VerifyRequest& request_;
  const Bench& bench_;
  Random keys_;
  std::map<std::string, double>& phases_;
  Timed timed_;
};

}  // namespace

Result<std::variant<Timed, Outcome>> play_match(const VerifyRequest& request, const Bench& bench,
                                                std::uint64_t key,
                                                std::map<std::string, double>& phases) {
  return Match(request, bench, key, phases).play();
}

}  // namespace kp::harness
