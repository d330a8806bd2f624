// SPDX-License-Identifier: Apache-2.0
#include "harness/screen_inputs.h"

#include "harness/value_sets.h"

namespace kp::harness {
namespace {

bool is_zero_mean(const Distribution& distribution) {
  return distribution.kind == Distribution::Kind::kNormal || distribution.low == -distribution.high;
}

}  // namespace

std::optional<Workload> with_zero_mean(const Workload& workload, const Declaration& declaration) {
  Workload normal = workload;
  bool changed = false;
  for (const Tensor& tensor : declaration.tensors) {
    const bool read = tensor.role != TensorRole::kOutput && !tensor.shape.empty();
    if (!read || !is_floating(tensor.dtype)) continue;
    const bool fixed = normal.data.erase(tensor.name) > 0;
    if (!fixed && is_zero_mean(distribution_of(tensor, workload))) continue;
    if (tensor.structure.decides_values()) continue;
    normal.distributions[tensor.name] = {};
    changed = true;
  }
  if (!changed) return {};
  return normal;
}

std::optional<Workload> with_published(const Workload& workload, const Task& task) {
  const auto beside = task.with_role(WorkloadRole::kBeside);
  if (beside.empty() || workload.role != WorkloadRole::kCheck) return {};
  Workload published = workload;
  bool changed = false;
  for (const Tensor& tensor : task.declaration.tensors) {
    if (tensor.role == TensorRole::kOutput || !is_floating(tensor.dtype)) continue;
    const Distribution theirs = distribution_of(tensor, *beside.front());
    changed = changed || !(theirs == distribution_of(tensor, workload));
    published.distributions[tensor.name] = theirs;
  }
  if (!changed) return {};
  return published;
}

Workload freed(const Workload& workload, const Declaration& declaration) {
  Workload normal = workload;
  for (const Tensor& tensor : declaration.tensors) {
    if (is_floating(tensor.dtype) && !tensor.structure.decides_values())
      normal.distributions[tensor.name] = {};
  }
  return normal;
}

}  // namespace kp::harness
