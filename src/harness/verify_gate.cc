// SPDX-License-Identifier: Apache-2.0
// What an output is held against, and one that does not hold in words.
#include <fmt/format.h>

#include <algorithm>

#include "harness/verify.h"

namespace kp::harness {
namespace {

std::vector<std::int64_t> index_of(const Tensor& tensor, const Bindings& axes, std::size_t flat) {
  std::vector<std::int64_t> index(tensor.shape.size());
  for (std::size_t d = index.size(); d-- > 0;) {
    const std::int64_t extent = tensor.shape[d].evaluate(axes).value_or(1);
    index[d] = static_cast<std::int64_t>(flat) % extent;
    flat /= static_cast<std::size_t>(extent);
  }
  return index;
}

GateRequest bare_gate(const Task& task, Precision precision, const Tensor& tensor, ValueSet set,
                      const Workload& workload) {
  const auto& tensors = task.declaration.tensors;
  const bool native = std::any_of(tensors.begin(), tensors.end(), [](const Tensor& other) {
    return is_floating(other.dtype) && size_of(other.dtype) == 2;
  });
  return {.dtype = tensor.dtype,
          .precision = precision,
          .native = native,
          .zero_mean = has_zero_mean(set, task.declaration, workload)};
}

}  // namespace

Precision precision_of(const VerifyRequest& request) {
  return request.candidate.plan.precision.value_or(request.task.declaration.precision);
}

std::string place_of(const WrongAnswer& wrong) {
  return fmt::format("{}[{}]", wrong.tensor, fmt::join(wrong.index, ", "));
}

GateRequest gate_for(const VerifyRequest& request, const Tensor& tensor, ValueSet set,
                     const Workload& workload) {
  return bare_gate(request.task, precision_of(request), tensor, set, workload);
}

GateRequest gate_for(const Task& task, Precision precision, const Case& sample,
                     const Tensor& tensor, std::span<const double> got) {
  const auto spread = sample.spread.find(tensor.name);
  GateRequest gate = bare_gate(task, precision, tensor, sample.set, *sample.workload);
  gate.whole = sample.set == ValueSet::kIntegers;
  gate.spread = spread == sample.spread.end() ? 0 : spread->second;
  gate.got = got;
  gate.expected = sample.expected.at(tensor.name);
  gate.nudged = sample.nudged.at(tensor.name);
  return gate;
}

WrongAnswer wrong_answer(const Misfit& misfit) {
  const GateFailure& failure = misfit.failure;
  WrongAnswer wrong;
  wrong.value_set = name_of(misfit.set);
  wrong.workload = misfit.workload.name;
  wrong.tensor = misfit.tensor.name;
  wrong.gate = failure.gate;
  wrong.error = failure.error;
  wrong.limit = failure.limit;
  wrong.index = index_of(misfit.tensor, misfit.workload.axes, failure.index);
  wrong.expected = misfit.expected;
  wrong.got = misfit.got;
  const std::string place = place_of(wrong);
  const std::string inputs =
      fmt::format("inputs `{}`, workload {}", wrong.value_set, wrong.workload);
  wrong.message = failure.gate == "unwritten"
                      ? fmt::format("{} is never written ({})", place, inputs)
                      : fmt::format("{} is {:.9g} where {:.9g} is expected ({})", place, wrong.got,
                                    wrong.expected, inputs);
  return wrong;
}

}  // namespace kp::harness
