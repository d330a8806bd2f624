// SPDX-License-Identifier: Apache-2.0
#include "harness/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/gates.h"
#include "harness/published.h"

namespace kp::harness {
namespace {

// For one run on a check workload on hardware: those take milliseconds, and a kernel that hangs
// costs the whole deadline.
constexpr double kCheckSeconds = 5;

// For each tool of compute-sanitizer, which slows kernels down by 10 to 100.
constexpr double kSanitizerSeconds = 90;

constexpr std::uint64_t kRedZone = 4096;
constexpr int kContractSeeds = 5;  // at final depth
constexpr int kOtherSeeds = 2;
constexpr int kRepeats = 20;                   // at final depth on hardware
constexpr std::uint64_t kScheduleStep = 7919;  // from one repeat to the next
constexpr std::uint64_t kFinalSeeds = 500;     // there, away from those of the search
constexpr double kBenignSpread = 0.25;         // of what the class allows
constexpr double kSelfSpreads =
    3;  // an `oracle: self` may be missed by this many of its own spreads

double total_elements(const Workload& workload) {
  double product = 1;
  for (const auto& [name, value] : workload.axes) product *= static_cast<double>(value);
  return product;
}

/// Check workloads from small to large, so that faults are found where they are cheap.
std::vector<const Workload*> check_workloads(const Task& task) {
  auto workloads = task.with_role(WorkloadRole::kCheck);
  std::stable_sort(workloads.begin(), workloads.end(), [](const Workload* a, const Workload* b) {
    return total_elements(*a) < total_elements(*b);
  });
  return workloads;
}

bool still_poison(const OutputState& state, std::size_t index) {
  const std::size_t size = size_of(state.tensor->dtype), at = index * size;
  return !state.poison.empty() && std::memcmp(&state.bytes[at], &state.poison[at], size) == 0;
}

class Verifier {
 public:
  explicit Verifier(const VerifyRequest& request)
      : request_(request), final_(request.depth == Depth::kFinal) {}

  Result<Verification> verify() {
    const auto workloads = check_workloads(request_.task);
    for (std::size_t i = 0; i < workloads.size() && !done(); ++i) {
      if (i > 0 && !final_) break;
      KP_TRY_VOID(verify_workload(*workloads[i], i == 0));
    }
    result_.notes.push_back(request_.reference.note());
    for (const PublishedVerdict& verdict : result_.published)
      result_.notes.push_back(to_note(verdict));
    if (!result_.deterministic)
      result_.notes.push_back(
          "results vary with the schedule, within a quarter of what the class allows");
    return std::move(result_);
  }

 private:
  bool done() const { return result_.bad.has_value(); }

  double deadline() const {
    const double allowed = request_.options.deadline_seconds;
    return request_.device.hardware() == nullptr ? allowed : std::min(allowed, kCheckSeconds);
  }

  Precision precision() const { return precision_of(request_); }

  RigRequest rig_request(const Workload& workload) const {
    return {.device = request_.device,
            .loaded = request_.loaded,
            .binary = request_.binary,
            .task = request_.task,
            .candidate = request_.candidate,
            .workload = workload,
            .red_zone = red_zone_for(request_.device, request_.options),
            .instruction_budget = request_.options.instruction_budget,
            .deadline_seconds = deadline()};
  }

  Result<void> verify_workload(const Workload& workload, bool smallest) {
    KP_TRY(auto opened, Rig::open(rig_request(workload)));
    if (auto* bad = std::get_if<Outcome>(&opened)) {
      result_.bad = std::move(*bad);
      return {};
    }
    Rig& rig = *std::get<std::unique_ptr<Rig>>(opened);
    for (const ValueSet set : value_sets_for(request_.task.declaration, workload)) {
      // In double, exp(x) - 1 of 1e-30 is 0: as an oracle PyTorch is not exact there.
      if (set == ValueSet::kTiny && request_.task.oracle.kind == Oracle::Kind::kTorch) continue;
      const bool contract = set == ValueSet::kContract;
      const int seeds = !final_ ? 1 : contract ? kContractSeeds : kOtherSeeds;
      for (int i = 0; i < seeds && !done(); ++i) {
        KP_TRY(const Case* sample, case_of(workload, set, static_cast<std::uint64_t>(i)));
        KP_TRY_VOID(check_case(rig, *sample, smallest && contract && i == 0));
      }
    }
    return {};
  }

  Result<const Case*> case_of(const Workload& workload, ValueSet set, std::uint64_t number) {
    if (final_ && on_hardware()) number += kFinalSeeds;
    return request_.cases.get(workload, set, request_.options.seed * 1000 + number, precision());
  }

  /// A run judged by the gates. The first case of all also goes through the sanitizer; contract
  /// cases run again under another schedule.
  Result<void> check_case(Rig& rig, const Case& sample, bool first) {
    KP_TRY(auto plain, run(rig, sample, {.poison_seed = next_poison()}));
    if (done()) return {};
    ask_publisher(sample, plain);
    KP_TRY_VOID(judge_all(sample, plain));
    if (sample.set == ValueSet::kContract && !done())
      KP_TRY_VOID(check_schedule(rig, sample, plain));
    if (done()) return explain(rig, sample);
    if (first && on_hardware()) return repeat(rig, sample, plain);
    if (first) KP_TRY_VOID(sanitize(rig, sample));
    return {};
  }

  /// What the benchmark that the task is from would say of these outputs.
  void ask_publisher(const Case& sample, const std::vector<OutputState>& states) {
    const auto& tolerance = sample.workload->tolerance;
    if (!tolerance || sample.set != ValueSet::kContract) return;
    auto& verdicts = result_.published;
    if (verdicts.empty() || verdicts.back().workload != sample.workload->name)
      verdicts.push_back({.workload = sample.workload->name});
    for (const OutputState& state : states)
      judge_published(verdicts.back(), *tolerance,
                      {state.tensor->dtype, state.values, sample.expected.at(state.tensor->name)});
  }

  Result<void> judge_all(const Case& sample, const std::vector<OutputState>& states) {
    for (const OutputState& state : states) {
      if (!done()) KP_TRY_VOID(judge(sample, state));
    }
    return {};
  }

  bool on_hardware() const { return request_.device.hardware() != nullptr; }

  /// Real schedules cannot be permuted: the same inputs again and again, each time over another
  /// poison and with other SMs taken.
  Result<void> repeat(Rig& rig, const Case& sample, const std::vector<OutputState>& plain) {
    for (int i = 0; final_ && i < kRepeats && !done(); ++i)
      KP_TRY_VOID(check_schedule(rig, sample, plain, i + 1));
    return final_ && !done() ? sanitize_apart(sample) : Result<void>();
  }

  /// compute-sanitizer sees an access beside an array only where nothing else lies: no canaries.
  Result<void> sanitize_apart(const Case& sample) {
    RigRequest wanted = rig_request(*sample.workload);
    wanted.red_zone = 0;
    wanted.deadline_seconds = kSanitizerSeconds;
    KP_TRY(auto opened, Rig::open(wanted));
    if (auto* bad = std::get_if<Outcome>(&opened)) {
      result_.bad = std::move(*bad);
      return {};
    }
    Result<void> looked = sanitize(*std::get<std::unique_ptr<Rig>>(opened), sample);
    // What is missing on this machine is told, and is no verdict.
    if (!looked && looked.error().code != ErrorCode::kUnsupported) return looked;
    if (!done())
      result_.notes.push_back(
          "compute-sanitizer: " +
          (looked ? std::string("nothing found") : "not done: " + looked.error().message));
    return {};
  }

  /// A wrong answer that comes from a race or from uninitialised data is reported as that: it says
  /// where. Only virtual devices have a sanitizer.
  Result<void> explain(Rig& rig, const Case& sample) {
    if (on_hardware()) return {};
    if (!std::holds_alternative<WrongAnswer>(*result_.bad)) return {};
    Outcome wrong = *std::exchange(result_.bad, std::nullopt);
    KP_TRY_VOID(sanitize(rig, sample));
    const bool found = result_.bad && std::holds_alternative<Crashed>(*result_.bad);
    if (!found && !depends_on_garbage(std::get<WrongAnswer>(wrong))) result_.bad = std::move(wrong);
    return {};
  }

  /// The sanitizer calls an element unwritten that was written: what was written is undefined.
  bool depends_on_garbage(const WrongAnswer& wrong) {
    const auto* undefined = result_.bad ? std::get_if<WrongAnswer>(&*result_.bad) : nullptr;
    if (!undefined || undefined->gate != "unwritten" || wrong.gate == "unwritten") return false;
    result_.bad = Crashed{
        .fault = FaultKind::kUninitialised,
        .message = fmt::format("{} depends on data that nobody wrote (inputs `{}`, workload {})",
                               place_of(*undefined), undefined->value_set, undefined->workload)};
    return true;
  }

  Result<std::vector<OutputState>> run(Rig& rig, const Case& sample, const Variation& variation) {
    KP_TRY(RunOutcome outcome, rig.run(sample.inputs, variation));
    if (auto* bad = std::get_if<Outcome>(&outcome)) {
      result_.bad = std::move(*bad);
      return std::vector<OutputState>{};
    }
    return std::get<std::vector<OutputState>>(std::move(outcome));
  }

  std::uint64_t next_poison() { return request_.options.seed + 7919 * ++poisons_; }

  GateRequest gate_request(const Case& sample, const OutputState& state) const {
    return gate_for(request_.task, precision(), sample, *state.tensor, state.values);
  }

  Result<void> judge(const Case& sample, const OutputState& state) {
    if (state.unwritten) {
      set_wrong(sample, state, {"unwritten", 1, 0, *state.unwritten});
      return {};
    }
    GateVerdict verdict = check_output(gate_request(sample, state));
    if (verdict.failure) {
      if (still_poison(state, verdict.failure->index)) verdict.failure->gate = "unwritten";
      set_wrong(sample, state, *verdict.failure);
    }
    const bool nearer =
        verdict.limit > 0 && verdict.error * result_.limit >= result_.error * verdict.limit;
    if (nearer) result_.error = verdict.error, result_.limit = verdict.limit;
    return {};
  }

  void set_wrong(const Case& sample, const OutputState& state, const GateFailure& failure) {
    result_.bad = wrong_answer({.tensor = *state.tensor,
                                .workload = *sample.workload,
                                .set = sample.set,
                                .failure = failure,
                                .expected = sample.expected.at(state.tensor->name)[failure.index],
                                .got = state.values[failure.index]});
  }

  Result<void> check_schedule(Rig& rig, const Case& sample, const std::vector<OutputState>& plain,
                              int turn = 0) {
    const std::uint64_t first = request_.options.seed + sample.seed + 1;
    const Variation permuted{.schedule_seed = first + kScheduleStep * static_cast<unsigned>(turn),
                             .poison_seed = next_poison()};
    KP_TRY(const auto other, run(rig, sample, permuted));
    if (done()) return {};
    for (std::size_t i = 0; i < plain.size() && !done(); ++i) {
      if (plain[i].bytes == other[i].bytes) continue;
      // An element that only this run left unwritten, or computed wrongly.
      KP_TRY_VOID(judge(sample, other[i]));
      if (done()) continue;
      result_.deterministic = false;
      const double share = spread_share(gate_request(sample, plain[i]), other[i].values);
      if (share > kBenignSpread) set_unsteady(sample, plain[i], other[i], share);
    }
    return {};
  }

  void set_unsteady(const Case& sample, const OutputState& plain, const OutputState& other,
                    double share) {
    std::size_t at = 0;
    while (at + 1 < plain.values.size() && plain.values[at] == other.values[at]) ++at;
    set_wrong(sample, plain, {"determinism", share, kBenignSpread, at});
    std::get<WrongAnswer>(*result_.bad).message = fmt::format(
        "{} changes with the schedule: {:.9g} and {:.9g} ({:.3g} of what the class allows, {} may)",
        plain.tensor->name, plain.values[at], other.values[at], share, kBenignSpread);
  }

  Result<void> sanitize(Rig& rig, const Case& sample) {
    KP_TRY(const auto states,
           run(rig, sample, {.inspect = device::Inspect::kCheck, .poison_seed = next_poison()}));
    return judge_all(sample, states);
  }

  const VerifyRequest& request_;
  const bool final_;
  Verification result_;
  std::uint64_t poisons_ = 0;
};

}  // namespace

Result<Verification> verify(const VerifyRequest& request) { return Verifier(request).verify(); }

std::uint64_t red_zone_for(const device::Device& device, const HarnessOptions& options) {
  const bool checks_accesses = device.describe().timing == Grade::kModelled;
  return options.red_zone.value_or(checks_accesses ? 0 : kRedZone);
}

}  // namespace kp::harness
