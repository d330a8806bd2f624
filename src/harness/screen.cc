// SPDX-License-Identifier: Apache-2.0
#include "harness/screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/convert.h"
#include "harness/screen_inputs.h"
#include "harness/screen_trial.h"
#include "harness/verify.h"

namespace kp::harness {
namespace {

using Verdict = AttackReport::Verdict;
using Reports = std::vector<AttackReport>;

// An attack passes when it passes on all of these: a boolean that is true half of the time would
// otherwise pass as a constant.
constexpr int kSeeds = 16;
constexpr int kPublishedSeeds = 5;              // trials of KernelBench's scripts
constexpr double kTight = 1e-4, kLoose = 1e-2;  // its tolerances: f32, and 16 bits (v0: f32 too)

// Where it is looked whether a part of an output is what it is whatever the inputs.
constexpr std::array kFarSets{ValueSet::kContract, ValueSet::kShifted,   ValueSet::kLarge,
                              ValueSet::kNeedles,  ValueSet::kHeavyTail, ValueSet::kAllEqual};

bool is_finite(const TensorValues& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const auto& tensor) {
    return std::all_of(tensor.second.begin(), tensor.second.end(),
                       [](double value) { return std::isfinite(value); });
  });
}

// Kinds of inputs; candidates are judged on the contract's only.
constexpr std::string_view kContract = "contract", kPublished = "published",
                           kZeroMean = "zero-mean";

/// Attacks on one workload with one kind of inputs.
struct Round {
  const Workload& workload;
  Trials trials;  // its own: cases are known by the workload's name
  std::string_view inputs = kContract;
  Reports reports;  // every attack for the first output, then for the next
  int seeds = 0;
};

/// Whether another seed may change what is known of an attack.
bool alive(const AttackReport& report, int seeds) {
  if (report.verdict == Verdict::kPasses) return true;
  const bool close = report.close_tight || report.close_loose;
  return report.verdict == Verdict::kFails && seeds < kPublishedSeeds && close;
}

class Screen {
 public:
  Screen(const Task& task, Reference& reference, const ScreenOptions& options)
      : task_(task), reference_(reference), options_(options) {
    for (const Tensor& tensor : task.declaration.tensors) {
      if (is_output(tensor)) outputs_.push_back(&tensor);
    }
  }

  Result<Screening> run() {
    result_.task = task_.name;
    result_.timed = options_.timed;
    // Here and not before: the author's inputs may stand in a workload for the other kind of
    // device.
    const Task fits = fitted(task_, options_.hardware);
    bool any = false;
    for (const Workload& workload : fits.workloads) {
      if (workload.role != WorkloadRole::kCheck && !options_.timed) continue;
      KP_TRY_VOID(screen_workload(workload));
      any = true;
    }
    if (!any)
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("no check workload of {} is small enough for a virtual device", task_.name),
          "screen it on a GPU: --device cuda");
    result_.notes.push_back(reference_.note());
    return std::move(result_);
  }

 private:
  Result<void> screen_workload(const Workload& workload) {
    Round contract{workload, Trials(task_, reference_)};
    KP_TRY_VOID(play(contract));
    append(std::move(contract.reports));
    if (const auto published = with_published(workload, task_)) {
      Round theirs{*published, Trials(task_, reference_), kPublished};
      KP_TRY_VOID(play(theirs));
      append(std::move(theirs.reports));
    }
    const auto normal = with_zero_mean(workload, task_.declaration);
    return normal ? screen_beyond(*normal) : Result<void>();
  }

  /// `normal`: the workload with zero-mean inputs, where candidates are never judged. What passes
  /// there says whether such inputs would mend a task.
  Result<void> screen_beyond(const Workload& normal) {
    KP_TRY(const auto inputs, draw_inputs(task_, normal, ValueSet::kContract, seed_of(0)));
    KP_TRY(const auto results, reference_.compute(normal, inputs));
    if (!is_finite(results)) {
      result_.notes.push_back(fmt::format(
          "workload {}: the task does not take zero-mean inputs, its results are not finite",
          normal.name));
      return {};
    }
    Round beyond{normal, Trials(task_, reference_), kZeroMean};
    KP_TRY_VOID(play(beyond));
    const bool sound = std::none_of(beyond.reports.begin(), beyond.reports.end(),
                                    [](const auto& r) { return r.verdict == Verdict::kPasses; });
    result_.zero_mean_sound = result_.zero_mean_sound.value_or(true) && sound;
    append(std::move(beyond.reports));
    return {};
  }

  void append(Reports reports) {
    std::move(reports.begin(), reports.end(), std::back_inserter(result_.reports));
  }

  std::uint64_t seed_of(int number) const {
    return options_.seed * 1000 + static_cast<std::uint64_t>(number);
  }

  Result<void> play(Round& round) {
    round.reports = untried(round);
    const auto any_alive = [&round] {
      return std::any_of(round.reports.begin(), round.reports.end(),
                         [&](const auto& report) { return alive(report, round.seeds); });
    };
    for (; round.seeds < kSeeds && any_alive(); ++round.seeds) {
      KP_TRY(const Trial trial,
             round.trials.draw(round.workload, ValueSet::kContract, seed_of(round.seeds)));
      if (!steadiness_known_) KP_TRY_VOID(check_steadiness(trial));
      attack_all(round, trial);
    }
    return excuse(round);
  }

  Reports untried(const Round& round) const {
    Reports reports;
    for (const Tensor* tensor : outputs_) {
      for (const Attack& attack : attacks())
        reports.push_back({.workload = round.workload.name,
                           .inputs = std::string(round.inputs),
                           .tensor = tensor->name,
                           .attack = std::string(attack.name),
                           .verdict = Verdict::kPasses,
                           .close_tight = true,
                           .close_loose = true,
                           .judged = round.inputs == kContract});
    }
    return reports;
  }

  /// A reference that draws random numbers of its own has no right answer.
  Result<void> check_steadiness(const Trial& trial) {
    steadiness_known_ = true;
    KP_TRY(auto again, reference_.compute(*trial.sample->workload, trial.sample->inputs));
    for (const Tensor* tensor : outputs_) {
      std::vector<double>& got = again.at(tensor->name);
      for (double& value : got) value = rounded(tensor->dtype, value);
      GateRequest gate = gate_of_output(trial, *tensor, got);
      gate.nudged = gate.expected;  // what nudged inputs give is random too
      if (check_output(gate).failure)
        result_.unsteady = fmt::format(
            "`{}` is another one each time: the reference draws random numbers", tensor->name);
    }
    return {};
  }

  GateRequest gate_of_output(const Trial& trial, const Tensor& tensor,
                             std::span<const double> got) const {
    return gate_for(task_, task_.declaration.precision, *trial.sample, tensor, got);
  }

  void attack_all(Round& round, const Trial& trial) const {
    for (std::size_t i = 0; i < round.reports.size(); ++i) {
      if (alive(round.reports[i], round.seeds)) attack_one(round.reports[i], i, trial);
    }
  }

  const Tensor& tensor_of(std::size_t report) const { return *outputs_[report / attacks().size()]; }
  static const Attack& attack_of(std::size_t report) {
    return attacks()[report % attacks().size()];
  }

  void attack_one(AttackReport& report, std::size_t number, const Trial& trial) const {
    const Tensor& tensor = tensor_of(number);
    const AttackMaterial material = trial.material(tensor);
    const Forged forged = forge(attack_of(number), material);
    if (const auto* reason = std::get_if<std::string>(&forged)) {
      report.verdict = Verdict::kNone;
      report.reason = *reason;
      report.close_tight = report.close_loose = false;
      return;
    }
    const auto& got = std::get<std::vector<double>>(forged);
    if (report.verdict == Verdict::kPasses)
      record(report, check_output(gate_of_output(trial, tensor, got)));
    if (report.seeds++ >= kPublishedSeeds) return;
    report.close_tight &= all_close(tensor.dtype, got, material.expected, kTight);
    report.close_loose &= all_close(tensor.dtype, got, material.expected, kLoose);
  }

  static void record(AttackReport& report, const GateVerdict& verdict) {
    report.error = verdict.failure ? verdict.failure->error : verdict.error;
    report.limit = verdict.failure ? verdict.failure->limit : verdict.limit;
    if (!verdict.failure) return;
    report.verdict = Verdict::kFails;
    report.gate = verdict.failure->gate;
  }

  /// Part of an answer may be right by the task's own nature: then nothing was left out.
  Result<void> excuse(Round& round) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < round.reports.size(); ++i) {
      const bool passes = round.reports[i].verdict == Verdict::kPasses;
      if (passes && excuse_of(attack_of(i)) != Excuse::kNever) open.push_back(i);
    }
    if (open.empty()) return {};
    KP_TRY(const Trial own, round.trials.draw(round.workload, ValueSet::kContract, seed_of(0)));
    keep_coinciding(open, own);
    std::vector<std::size_t> everywhere = open;
    KP_TRY_VOID(keep_everywhere(everywhere, round.workload));
    for (const std::size_t i : open) {
      const Excuse why = excuse_of(attack_of(i));
      const bool found = std::find(everywhere.begin(), everywhere.end(), i) != everywhere.end();
      if (why == Excuse::kWhateverTheInputs && !found) continue;
      round.reports[i].verdict = Verdict::kExcused;
      round.reports[i].reason = text_of(why);
    }
    return {};
  }

  enum class Excuse { kNever, kAllEqual, kWhateverTheInputs };
  static Excuse excuse_of(const Attack& attack) {
    if (attack.fill == Fill::kMean || attack.fill == Fill::kRowMeans) return Excuse::kAllEqual;
    const bool part = attack.part != Part::kAll || attack.fill == Fill::kUnread;
    return part ? Excuse::kWhateverTheInputs : Excuse::kNever;
  }
  static std::string text_of(Excuse excuse) {
    return excuse == Excuse::kAllEqual ? "the elements are equal: their common value is the work"
                                       : "that part is what it is whatever the inputs";
  }

  void keep_coinciding(std::vector<std::size_t>& reports, const Trial& trial) const {
    std::erase_if(reports, [&](std::size_t i) {
      const AttackMaterial material = trial.material(tensor_of(i));
      const Forged forged = forge(attack_of(i), material);
      const auto* got = std::get_if<std::vector<double>>(&forged);
      return got == nullptr || !coincides(material.dtype, *got, material.expected);
    });
  }

  /// The same on inputs of every kind, also beyond what the task's author named.
  Result<void> keep_everywhere(std::vector<std::size_t>& reports, const Workload& workload) {
    const Workload normal = freed(workload, task_.declaration);
    Trials trials(task_, reference_);
    for (const ValueSet set : kFarSets) {
      if (reports.empty()) return {};
      KP_TRY(const Trial trial, trials.draw(normal, set, seed_of(0)));
      keep_coinciding(reports, trial);
    }
    return {};
  }

  const Task& task_;
  Reference& reference_;
  ScreenOptions options_;
  std::vector<const Tensor*> outputs_;
  bool steadiness_known_ = false;
  Screening result_;
};

}  // namespace

Result<Screening> screen(const Task& task, Reference& reference, const ScreenOptions& options) {
  return Screen(task, reference, options).run();
}

}  // namespace kp::harness
