// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/reference.h"
#include "harness/rig.h"
#include "task/task.h"

namespace kp::harness {
namespace {

constexpr std::uint64_t kBudget = 1ull << 32;  // warp instructions; the author's own kernels

class DeviceReference : public Reference {
 public:
  DeviceReference(const Task& task, device::Device& device, Candidate baseline,
                  build::Binary binary, std::unique_ptr<device::Loaded> loaded)
      : task_(task),
        device_(device),
        baseline_(std::move(baseline)),
        binary_(std::move(binary)),
        loaded_(std::move(loaded)) {}

  Result<TensorValues> compute(const Workload& workload, const TensorValues& inputs,
                               std::uint64_t schedule) override {
    const RigRequest request{.device = device_,
                             .loaded = *loaded_,
                             .binary = binary_,
                             .task = task_,
                             .candidate = baseline_,
                             .workload = workload,
                             .oracle = in_double(),
                             .instruction_budget = kBudget};
    KP_TRY(auto opened, Rig::open(request));
    if (const auto* bad = std::get_if<Outcome>(&opened)) return unusable(*bad);
    KP_TRY(auto ran,
           std::get<std::unique_ptr<Rig>>(opened)->run(inputs, {.schedule_seed = schedule}));
    if (const auto* bad = std::get_if<Outcome>(&ran)) return unusable(*bad);
    TensorValues values;
    for (OutputState& state : std::get<std::vector<OutputState>>(ran))
      values.emplace(state.tensor->name, std::move(state.values));
    return values;
  }

  bool varies() const override { return !in_double(); }

  std::string note() const override {
    return in_double() ? "oracle: kernels in double" : "oracle: self";
  }

 private:
  bool in_double() const { return task_.oracle.kind == Oracle::Kind::kKernels; }

  tl::unexpected<Error> unusable(const Outcome& outcome) const {
    Evaluation evaluation;
    evaluation.outcome = outcome;
    return fail_at({task_.baseline_path.string(), 0, 0},
                   fmt::format("the {} cannot serve as reference: {}",
                               in_double() ? "oracle kernels" : "baseline", summary(evaluation)),
                   "correct it, or give the task a reference.cc");
  }

  const Task& task_;
  device::Device& device_;
  Candidate baseline_;
  build::Binary binary_;
  std::unique_ptr<device::Loaded> loaded_;
};

tl::unexpected<Error> no_reference(const Task& task, std::string message) {
  return fail_at({task.baseline_path.string(), 0, 0}, std::move(message),
                 "give the task a reference.cc, or a baseline that runs");
}

}  // namespace

Result<std::unique_ptr<Reference>> open_device_reference(const Task& task, device::Device& device,
                                                         build::Builder& builder) {
  if (!task.baseline) return no_reference(task, "the task has neither a reference nor a baseline");
  KP_TRY(Candidate baseline,
         task::make_candidate(task, *task.baseline, task.baseline_path.filename().string()));
  KP_TRY(build::BuildOutcome built, builder.build(task, baseline));
  if (const auto* failed = std::get_if<BuildFailed>(&built))
    return no_reference(task,
                        "the baseline, which is the reference, does not build:\n" + failed->log);
  auto* binary = std::get_if<build::Binary>(&built);
  if (const auto* rejected = std::get_if<Rejected>(&built))
    return no_reference(task,
                        "the baseline, which is the reference, is rejected: " + rejected->reason);
  if (binary == nullptr)
    return no_reference(task, "the baseline, which is the reference, takes too long to compile");
  KP_TRY(auto loaded, device.load(*binary));
  if (const auto* crashed = std::get_if<Crashed>(&loaded))
    return no_reference(task, "the reference cannot be loaded: " + crashed->message);
  return std::unique_ptr<Reference>(std::make_unique<DeviceReference>(
      task, device, std::move(baseline), std::move(*binary),
      std::get<std::unique_ptr<device::Loaded>>(std::move(loaded))));
}

}  // namespace kp::harness
