// SPDX-License-Identifier: Apache-2.0
#include "package/regression.h"

#include <algorithm>

#include "harness/value_sets.h"

namespace kp::package {
namespace {

constexpr double kSlack = 2;  // on every gate: what is expected has an error of the class too

}  // namespace

harness::rules::Gate tolerance_of(const Delivery& delivery, const Tensor& output) {
  const Declaration& declaration = delivery.task.declaration;
  const auto& tensors = declaration.tensors;
  harness::GateRequest request;
  request.dtype = output.dtype;
  request.precision = delivery.optimized.plan.precision.value_or(declaration.precision);
  request.native = std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) {
    return is_floating(tensor.dtype) && size_of(tensor.dtype) == 2;
  });
  request.zero_mean =
      std::all_of(delivery.cases.begin(), delivery.cases.end(), [&declaration](const Case& shape) {
        return harness::has_zero_mean(harness::ValueSet::kContract, declaration, shape.workload);
      });
  request.slack = kSlack;
  return harness::gate_of(request);
}

double rounding_of(DType type) {
  switch (type) {
    case DType::kF64:
      return 0x1p-53;
    case DType::kF32:
      return 0x1p-24;
    case DType::kF16:
      return 0x1p-11;
    case DType::kBf16:
      return 0x1p-8;
    case DType::kF8E4M3:
      return 0x1p-4;
    case DType::kF8E5M2:
      return 0x1p-3;
    default:
      return 0;
  }
}

Distribution fill_of(const Tensor& tensor, const Case& shape) {
  return harness::distribution_of(tensor, shape.workload);
}

}  // namespace kp::package
