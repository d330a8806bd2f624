// SPDX-License-Identifier: Apache-2.0
#include "harness/kernel_opinion.h"

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

Result<void> load(KernelOpinion& opinion, const Path& file, build::Builder& builder) {
  KP_TRY(build::BuildOutcome built, builder.build(opinion.task, opinion.kernels));
  if (auto* failed = std::get_if<BuildFailed>(&built)) return unusable(file, failed->log);
  if (auto* rejected = std::get_if<Rejected>(&built)) return unusable(file, rejected->reason);
  if (std::holds_alternative<TimedOut>(built)) return unusable(file, "it compiles too slowly");
  opinion.binary = std::get<build::Binary>(std::move(built));
  KP_TRY(auto loaded, opinion.trusted.load(opinion.binary));
  if (const auto* crashed = std::get_if<Crashed>(&loaded)) return unusable(file, crashed->message);
  opinion.loaded = std::get<std::unique_ptr<device::Loaded>>(std::move(loaded));
  return {};
}

/// The workload as the opinion's task has it.
const Workload& own_workload(const KernelOpinion& opinion, const Workload& workload) {
  for (const Workload& own : opinion.task.workloads) {
    if (own.name == workload.name) return own;
  }
  return workload;
}

tl::unexpected<Error> unusable_for(const KernelOpinion& opinion, Outcome outcome) {
  Evaluation evaluation;
  evaluation.outcome = std::move(outcome);
  return unusable(opinion.kernels.file, summary(evaluation));
}

Result<std::unique_ptr<Rig>> open_rig(const KernelOpinion& opinion, const Workload& workload) {
  KP_TRY(auto opened, Rig::open({.device = opinion.trusted,
                                 .loaded = *opinion.loaded,
                                 .binary = opinion.binary,
                                 .task = opinion.task,
                                 .candidate = opinion.kernels,
                                 .workload = own_workload(opinion, workload),
                                 .oracle = opinion.oracle,
                                 .deadline_seconds = kDeadlineSeconds}));
  if (auto* bad = std::get_if<Outcome>(&opened)) return unusable_for(opinion, std::move(*bad));
  return std::get<std::unique_ptr<Rig>>(std::move(opened));
}

class KernelAnswers : public Answers {
 public:
  static Result<std::unique_ptr<KernelAnswers>> open(const KernelOpinion& opinion,
                                                     const Workload& workload, double nudge) {
    std::unique_ptr<KernelAnswers> answers(new KernelAnswers(opinion, nudge));
    KP_TRY(answers->plain_, open_rig(opinion, workload));
    auto second = open_rig(opinion, workload);
    if (second)
      answers->nudged_ = *std::move(second);
    else if (second.error().code != ErrorCode::kLimit)
      return tl::unexpected<Error>(std::move(second).error());
    return answers;
  }

  Result<void> compute(const ArraySet& set, Referee& referee) override {
    KP_TRY_VOID(answer(*plain_, set, referee, 0));
    return nudged_ ? answer(*nudged_, set, referee, nudge_) : Result<void>{};
  }

  Expected expected(const Tensor& output) const override {
    const bool wide = is_floating(output.dtype) && opinion_.slack == 1;
    Expected expected{.address = plain_->arrays().address(output.name),
                      .dtype = wide ? DType::kF64 : output.dtype,
                      .slack = opinion_.slack};
    if (nudged_) expected.nudged = nudged_->arrays().address(output.name);
    return expected;
  }

  std::uint64_t bytes() const override {
    std::uint64_t sum = 0;
    for (const ArraySpec& spec : plain_->arrays().specs()) sum += spec.bytes();
    return nudged_ ? 2 * sum : sum;
  }

 private:
  KernelAnswers(const KernelOpinion& opinion, double nudge) : opinion_(opinion), nudge_(nudge) {}

  static std::vector<Filling> fillings(const Rig& rig, const ArraySet& set, double nudge) {
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
    return fillings;
  }

  Result<void> answer(const Rig& rig, const ArraySet& set, Referee& referee, double nudge) {
    KP_TRY_VOID(referee.fill(fillings(rig, set, nudge)));
    std::vector<device::BoundStep> steps = rig.prepare();
    steps.insert(steps.end(), rig.steps().begin(), rig.steps().end());
    KP_TRY(const device::Mishap mishap,
           opinion_.trusted.run(*opinion_.loaded,
                                {.steps = steps, .deadline_seconds = kDeadlineSeconds}));
    if (const auto* crashed = std::get_if<Crashed>(&mishap))
      return unusable(opinion_.kernels.file, crashed->message);
    if (const auto* late = std::get_if<TimedOut>(&mishap))
      return unusable(opinion_.kernels.file, late->detail);
    return {};
  }

  const KernelOpinion& opinion_;
  double nudge_;
  std::unique_ptr<Rig> plain_, nudged_;
};

}  // namespace

Result<OpenedAnswers> KernelOpinion::answers(const Workload& workload, Precision precision,
                                             Referee&) {
  KP_TRY(auto opened, KernelAnswers::open(*this, workload, rounding_error_of(precision)));
  return OpenedAnswers{std::move(opened), note};
}

Result<TensorValues> KernelOpinion::outputs(const Workload& workload, const TensorValues& inputs) {
  KP_TRY(const auto rig, open_rig(*this, workload));
  KP_TRY(auto ran, rig->run(inputs, {}));
  if (auto* bad = std::get_if<Outcome>(&ran)) return unusable_for(*this, std::move(*bad));
  TensorValues values;
  for (OutputState& state : std::get<std::vector<OutputState>>(ran))
    values[state.tensor->name] = std::move(state.values);
  return values;
}

Result<std::unique_ptr<KernelOpinion>> open_reference_kernels(const Task& task,
                                                              device::Device& trusted,
                                                              build::Builder& builder) {
  const Path& reference = task.oracle.device_source;
  KP_TRY(const std::string text, read_text(reference));
  auto opinion = std::make_unique<KernelOpinion>(trusted);
  opinion->task = in_double(task);
  KP_TRY(opinion->kernels, task::make_candidate(opinion->task, text, reference.string()));
  opinion->note = "timed outputs: against " + reference.filename().string();
  KP_TRY_VOID(load(*opinion, reference, builder));
  return opinion;
}

Result<std::unique_ptr<KernelOpinion>> open_baseline_kernels(const Task& task,
                                                             device::Device& trusted,
                                                             build::Builder& builder) {
  auto opinion = std::make_unique<KernelOpinion>(trusted);
  opinion->task = task;
  KP_TRY(opinion->kernels,
         task::make_candidate(task, *task.baseline, task.baseline_path.filename().string()));
  opinion->oracle = task.oracle.kind == Oracle::Kind::kKernels;
  if (!opinion->oracle) opinion->slack = kBaselineSlack;
  opinion->note = opinion->oracle ? "timed outputs: against the oracle kernels in double"
                                  : "timed outputs: against the baseline, with twice the gate";
  KP_TRY_VOID(load(*opinion, task.baseline_path, builder));
  return opinion;
}

}  // namespace kp::harness
