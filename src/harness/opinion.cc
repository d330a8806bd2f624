// SPDX-License-Identifier: Apache-2.0
#include "harness/opinion.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/kernel_opinion.h"
#include "harness/torch_opinion.h"

namespace kp::harness {
namespace {

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

}  // namespace

tl::unexpected<Error> unusable(const Path& file, const std::string& what) {
  return fail_at({file.string(), 0, 0}, "it cannot serve as reference on the GPU: " + what,
                 "correct it; `kernelpro check` shows more");
}

Comparison Answers::comparison(const Tensor& output, GateRequest gate, const ArraySet& set) const {
  const Expected wanted = expected(output);
  gate.slack = wanted.slack;
  Comparison comparison{.gate = gate,
                        .got = set.rig().arrays().address(output.name),
                        .expected = wanted.address,
                        .nudged = wanted.nudged,
                        .expected_dtype = wanted.dtype};
  for (const ArraySpec& spec : set.rig().arrays().specs()) {
    if (spec.name == output.name) comparison.count = spec.count;
  }
  return comparison;
}

Result<std::unique_ptr<Opinion>> open_opinion(const Task& task, device::Hardware& hardware,
                                              build::Builder& builder,
                                              std::shared_ptr<TorchProblem> torch) {
  if (!task.oracle.device_source.empty())
    return open_reference_kernels(task, hardware.trusted(), builder);
  std::unique_ptr<Opinion> kernels;
  if (task.baseline) {
    KP_TRY(kernels, open_baseline_kernels(task, hardware.trusted(), builder));
  }
  if (!torch) return kernels;
  return std::unique_ptr<Opinion>(
      std::make_unique<TorchOpinion>(task, hardware, std::move(torch), std::move(kernels)));
}

Result<void> confirm(Opinion& opinion, const Task& task, Reference& reference) {
  const Workload& workload = smallest_check(task);
  KP_TRY(const TensorValues inputs, draw_inputs(task, workload, ValueSet::kContract, 1));
  KP_TRY(const TensorValues expected, reference.compute(workload, inputs));
  KP_TRY(const TensorValues got, opinion.outputs(workload, inputs));
  for (const auto& [name, values] : got) {
    const auto& wanted = expected.at(name);
    const GateVerdict verdict = check_output({.dtype = task.declaration.find(name)->dtype,
                                              .precision = Precision::kF64,
                                              .got = values,
                                              .expected = wanted,
                                              .nudged = wanted});
    if (!verdict.failure) continue;
    const std::size_t at = verdict.failure->index;
    return unusable(opinion.source(),
                    fmt::format("{} element {} is {:.17g}, the task's own reference says {:.17g} "
                                "(workload {})",
                                name, at, values[at], wanted[at], workload.name));
  }
  return {};
}

}  // namespace kp::harness
