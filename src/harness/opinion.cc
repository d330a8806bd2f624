// SPDX-License-Identifier: Apache-2.0
#include "harness/opinion.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/convert.h"
#include "task/task.h"

namespace kp::harness {
namespace {

constexpr double kDeadlineSeconds = 60;
constexpr double kBaselineSlack = 2;

Task in_double(Task task) {
  for (Tensor& tensor : task.declaration.tensors) {
    if (!is_floating(tensor.dtype)) continue;
    // Scalars have no filling that rounds them to the type that the candidate gets.
    if (tensor.scalar) tensor.scalar = rounded(tensor.dtype, *tensor.scalar);
    for (Workload& workload : task.workloads) {
      const auto given = workload.scalars.find(tensor.name);
      if (given != workload.scalars.end()) given->second = rounded(tensor.dtype, given->second);
    }
    tensor.dtype = DType::kF64;
  }
  return task;
}

tl::unexpected<Error> unusable(const Path& file, const std::string& what) {
  return fail_at({file.string(), 0, 0}, "it cannot serve as reference on the GPU: " + what,
                 "correct it; `kernelpro check` shows more");
}

Result<void> load(Opinion& opinion, const Path& file, device::Device& trusted,
                  build::Builder& builder) {
  KP_TRY(build::BuildOutcome built, builder.build(opinion.task, opinion.kernels));
  Evaluation evaluation;
  if (auto* failed = std::get_if<BuildFailed>(&built)) return unusable(file, failed->log);
  if (auto* rejected = std::get_if<Rejected>(&built)) return unusable(file, rejected->reason);
  if (std::holds_alternative<TimedOut>(built)) return unusable(file, "it compiles too slowly");
  opinion.binary = std::get<build::Binary>(std::move(built));
  KP_TRY(auto loaded, trusted.load(opinion.binary));
  if (const auto* crashed = std::get_if<Crashed>(&loaded)) return unusable(file, crashed->message);
  opinion.loaded = std::get<std::unique_ptr<device::Loaded>>(std::move(loaded));
  return {};
}

double elements_of(const Workload& workload) {
  double product = 1;
  for (const auto& [axis, value] : workload.axes) product *= static_cast<double>(value);
  return product;
}

const Workload& smallest_check(const Task& task) {
  const auto workloads = task.with_role(WorkloadRole::kCheck);
  return **std::min_element(workloads.begin(), workloads.end(),
                            [](auto* a, auto* b) { return elements_of(*a) < elements_of(*b); });
}

/// The workload as the opinion's task has it.
const Workload& own_workload(const Opinion& opinion, const Workload& workload) {
  for (const Workload& own : opinion.task.workloads) {
    if (own.name == workload.name) return own;
  }
  return workload;
}

RigRequest rig_request(const Opinion& opinion, device::Device& trusted, const Workload& workload) {
  return {.device = trusted,
          .loaded = *opinion.loaded,
          .binary = opinion.binary,
          .task = opinion.task,
          .candidate = opinion.kernels,
          .workload = own_workload(opinion, workload),
          .oracle = opinion.oracle,
          .deadline_seconds = kDeadlineSeconds};
}

Result<std::unique_ptr<Rig>> open_rig(const Opinion& opinion, device::Device& trusted,
                                      const Workload& workload) {
  KP_TRY(auto opened, Rig::open(rig_request(opinion, trusted, workload)));
  if (auto* bad = std::get_if<Outcome>(&opened)) {
    Evaluation evaluation;
    evaluation.outcome = std::move(*bad);
    return unusable(opinion.kernels.file, summary(evaluation));
  }
  return std::get<std::unique_ptr<Rig>>(std::move(opened));
}

}  // namespace

Result<std::unique_ptr<Opinion>> open_opinion(const Task& task, device::Device& trusted,
                                              build::Builder& builder) {
  auto opinion = std::make_unique<Opinion>();
  opinion->task = task;
  const Path& reference = task.oracle.device_source;
  if (!reference.empty()) {
    KP_TRY(const std::string text, read_text(reference));
    opinion->task = in_double(task);
    KP_TRY(opinion->kernels, task::make_candidate(opinion->task, text, reference.string()));
    opinion->note = "timed outputs: against " + reference.filename().string();
    KP_TRY_VOID(load(*opinion, reference, trusted, builder));
    return opinion;
  }
  if (!task.baseline) return std::unique_ptr<Opinion>();
  KP_TRY(opinion->kernels,
         task::make_candidate(task, *task.baseline, task.baseline_path.filename().string()));
  opinion->oracle = task.oracle.kind == Oracle::Kind::kKernels;
  if (!opinion->oracle) opinion->slack = kBaselineSlack;
  opinion->note = opinion->oracle ? "timed outputs: against the oracle kernels in double"
                                  : "timed outputs: against the baseline, with twice the gate";
  KP_TRY_VOID(load(*opinion, task.baseline_path, trusted, builder));
  return opinion;
}

Result<void> confirm(const Opinion& opinion, const Task& task, device::Device& trusted,
                     Reference& reference) {
  const Workload& workload = smallest_check(task);
  KP_TRY(const TensorValues inputs, draw_inputs(task, workload, ValueSet::kContract, 1));
  KP_TRY(const TensorValues expected, reference.compute(workload, inputs));
  KP_TRY(const auto rig, open_rig(opinion, trusted, workload));
  KP_TRY(auto ran, rig->run(inputs, {}));
  if (const auto* bad = std::get_if<Outcome>(&ran)) {
    Evaluation evaluation;
    evaluation.outcome = *bad;
    return unusable(opinion.kernels.file, summary(evaluation));
  }
  for (const OutputState& state : std::get<std::vector<OutputState>>(ran)) {
    const auto& wanted = expected.at(state.tensor->name);
    const GateVerdict verdict = check_output({.dtype = state.tensor->dtype,
                                              .precision = Precision::kF64,
                                              .got = state.values,
                                              .expected = wanted,
                                              .nudged = wanted});
    if (!verdict.failure) continue;
    return unusable(opinion.kernels.file,
                    fmt::format("{} element {} is {:.17g}, the task's own reference says {:.17g} "
                                "(workload {})",
                                state.tensor->name, verdict.failure->index,
                                state.values[verdict.failure->index],
                                wanted[verdict.failure->index], workload.name));
  }
  return {};
}

Result<std::unique_ptr<Answers>> Answers::open(const Opinion& opinion, const Workload& workload,
                                               device::Device& trusted, Precision precision) {
  std::unique_ptr<Answers> answers(new Answers(opinion, trusted, rounding_error_of(precision)));
  KP_TRY(answers->plain_, open_rig(opinion, trusted, workload));
  auto second = open_rig(opinion, trusted, workload);
  if (second)
    answers->nudged_ = *std::move(second);
  else if (second.error().code != ErrorCode::kLimit)
    return tl::unexpected<Error>(std::move(second).error());
  return answers;
}

Result<void> Answers::answer(const Rig& rig, const ArraySet& set, Referee& referee, double nudge) {
  std::vector<Filling> fillings;
  for (const ArraySpec& spec : rig.arrays().specs()) {
    const std::uint64_t address = rig.arrays().address(spec.name);
    if (const Filling* input = set.input(spec.name)) {
      Filling& filling = fillings.emplace_back(*input);
      filling.address = address;
      filling.storage = spec.dtype;
      filling.nudge = nudge;
    } else {
      // Zeroes where zeroes are asked for, and nothing left of the answer before.
      const bool zeroed = spec.use == ArraySpec::Use::kZeroed;
      fillings.push_back({.address = address,
                          .count = spec.count,
                          .dtype = spec.dtype,
                          .kind = zeroed ? referee::kFillZero : referee::kFillNan});
    }
  }
  KP_TRY_VOID(referee.fill(fillings));
  std::vector<device::BoundStep> steps = rig.prepare();
  steps.insert(steps.end(), rig.steps().begin(), rig.steps().end());
  KP_TRY(const device::Mishap mishap,
         trusted_.run(*opinion_.loaded, {.steps = steps, .deadline_seconds = kDeadlineSeconds}));
  if (const auto* crashed = std::get_if<Crashed>(&mishap))
    return unusable(opinion_.kernels.file, crashed->message);
  if (const auto* late = std::get_if<TimedOut>(&mishap))
    return unusable(opinion_.kernels.file, late->detail);
  return {};
}

Result<void> Answers::compute(const ArraySet& set, Referee& referee) {
  KP_TRY_VOID(answer(*plain_, set, referee, 0));
  return nudged_ ? answer(*nudged_, set, referee, nudge_) : Result<void>{};
}

Comparison Answers::comparison(const std::string& name, GateRequest gate,
                               const ArraySet& set) const {
  const DType native = gate.dtype;
  const bool wide = is_floating(native) && opinion_.slack == 1;
  gate.slack = opinion_.slack;
  Comparison comparison{.gate = gate,
                        .got = set.rig().arrays().address(name),
                        .expected = plain_->arrays().address(name),
                        .expected_dtype = wide ? DType::kF64 : native};
  if (nudged_) comparison.nudged = nudged_->arrays().address(name);
  for (const ArraySpec& spec : set.rig().arrays().specs()) {
    if (spec.name == name) comparison.count = spec.count;
  }
  return comparison;
}

}  // namespace kp::harness
