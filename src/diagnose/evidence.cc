// SPDX-License-Identifier: Apache-2.0
#include "diagnose/evidence.h"

#include <algorithm>

namespace kp::diagnose {
namespace {

Result<double> written_bytes(const Declaration& declaration, const Bindings& axes) {
  double bytes = 0;
  for (const Tensor& tensor : declaration.tensors) {
    if (!is_output(tensor)) continue;
    KP_TRY(const std::uint64_t count, element_count(tensor.shape, axes));
    bytes += static_cast<double>(count * size_of(tensor.dtype));
  }
  return bytes;
}

}  // namespace

std::optional<double> Floor::intensity() const {
  if (!flops || bytes <= 0) return std::nullopt;
  return *flops / bytes;
}

Result<Floor> floor_of(const Task& task, const Workload& workload) {
  const Declaration& declaration = task.declaration;
  KP_TRY(const double bytes, compulsory_bytes(declaration, workload.axes));
  KP_TRY(const std::optional<double> flops, declared_flops(declaration, workload));
  KP_TRY(const double written, written_bytes(declaration, workload.axes));
  const bool double_data = std::any_of(declaration.tensors.begin(), declaration.tensors.end(),
                                       [](const Tensor& t) { return t.dtype == DType::kF64; });
  return Floor{bytes,       flops,  declaration.work.contraction, declaration.precision,
               double_data, written};
}

Grade weakest_grade(const KernelProfile& kernel, std::span<const MetricKey> used) {
  Grade grade = Grade::kMeasured;
  for (const MetricKey& key : used) {
    const std::optional<Metric> metric = kernel.metrics.find(key.name);
    if (metric) grade = std::max(grade, metric->grade);
  }
  return grade;
}

}  // namespace kp::diagnose
