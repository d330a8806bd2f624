// SPDX-License-Identifier: Apache-2.0
// How a rig comes to be: arrays for the task's tensors and the plan's buffers, and steps bound to
// them.
#include <fmt/format.h>

#include "device/tensor_maps.h"
#include "harness/convert.h"
#include "harness/rig.h"

namespace kp::harness {
namespace {

using MaybeOutcome = Result<std::optional<Outcome>>;

/// A plan that cannot be bound is the candidate's fault; anything else is the world's.
MaybeOutcome outcome_of_binding(Error error) {
  if (error.code == ErrorCode::kUnsupported)
    return std::optional<Outcome>(
        Crashed{FaultKind::kUnsupported, error.message + "; " + error.hint, "", error.spot});
  if (error.code == ErrorCode::kInvalidInput)
    return std::optional<Outcome>(BuildFailed{error.text(), error.spot});
  return tl::unexpected<Error>(std::move(error));
}

ArraySpec::Use use_of(TensorRole role) {
  if (role == TensorRole::kOutput) return ArraySpec::Use::kWritten;
  return role == TensorRole::kInOut ? ArraySpec::Use::kBoth : ArraySpec::Use::kRead;
}

}  // namespace

DType Rig::dtype_of(const Tensor& tensor) const {
  return request_.oracle && is_floating(tensor.dtype) ? DType::kF64 : tensor.dtype;
}

Result<std::variant<std::unique_ptr<Rig>, Outcome>> Rig::open(const RigRequest& request) {
  std::unique_ptr<Rig> rig(new Rig(request));
  KP_TRY(auto refused, rig->add_arrays());
  if (!refused) {
    KP_TRY(refused, rig->bind());
  }
  if (refused) return std::variant<std::unique_ptr<Rig>, Outcome>(*std::move(refused));
  return std::variant<std::unique_ptr<Rig>, Outcome>(std::move(rig));
}

MaybeOutcome Rig::add_arrays() {
  for (const Tensor& tensor : request_.task.declaration.tensors) {
    if (tensor.shape.empty()) continue;
    KP_TRY(const std::uint64_t count, element_count(tensor.shape, request_.workload.axes));
    auto added = arrays_.add({tensor.name, dtype_of(tensor), count, use_of(tensor.role),
                              tensor.role == TensorRole::kWeight});
    if (added) continue;
    if (added.error().code == ErrorCode::kLimit && added.error().hint.empty())
      added.error().hint = "use smaller axis values, or another device";
    return tl::unexpected<Error>(
        std::move(added.error()).within(fmt::format("workload {}", request_.workload.name)));
  }
  Bindings values = request_.workload.axes;
  values.insert(request_.candidate.tune.begin(), request_.candidate.tune.end());
  for (const ScratchBuffer& buffer : request_.candidate.plan.buffers) {
    const auto count = element_count(buffer.shape, values);
    if (!count) return std::optional<Outcome>(BuildFailed{count.error().text(), buffer.spot});
    const auto use = buffer.zeroed ? ArraySpec::Use::kZeroed : ArraySpec::Use::kScratch;
    auto added = arrays_.add({buffer.name, buffer.dtype, *count, use, false});
    if (!added && added.error().code != ErrorCode::kLimit)
      return tl::unexpected<Error>(std::move(added).error());
    if (!added)
      return std::optional<Outcome>(Crashed{
          FaultKind::kOutOfResources,
          fmt::format("the buffer `{}` does not fit: {}", buffer.name, added.error().message), "",
          buffer.spot});
  }
  return std::optional<Outcome>{};
}

Result<device::Binding> Rig::binding(bool weights_only) const {
  device::Binding binding = arrays_.binding(weights_only);
  binding.values = request_.workload.axes;
  binding.values.insert(request_.candidate.tune.begin(), request_.candidate.tune.end());
  // Scalars are values of the workload, the same for all value sets.
  for (const Tensor& tensor : request_.task.declaration.tensors) {
    if (!tensor.shape.empty() || weights_only) continue;
    KP_TRY(const double value, scalar_value(tensor, request_.workload));
    if (is_floating(tensor.dtype))
      binding.scalars[tensor.name] = rounded(tensor.dtype, value);
    else
      binding.values[tensor.name] = static_cast<std::int64_t>(value);
  }
  KP_TRY_VOID(
      device::bind_tensor_maps(request_.candidate.plan, request_.task.declaration, binding));
  return binding;
}

MaybeOutcome Rig::bind() {
  const Plan& plan = request_.candidate.plan;
  const auto& device = request_.device.describe();
  KP_TRY(const device::Binding all, binding(false));
  auto steps =
      device::bind_steps(request_.oracle ? plan.oracle : plan.steps, request_.binary, all, device);
  if (!steps) return outcome_of_binding(std::move(steps).error());
  steps_ = *std::move(steps);
  if (request_.oracle) return std::optional<Outcome>{};
  // Prepare steps cannot name what depends on the inputs.
  KP_TRY(const device::Binding weights, binding(true));
  auto prepare = device::bind_steps(plan.prepare, request_.binary, weights, device);
  if (!prepare) return outcome_of_binding(std::move(prepare).error());
  prepare_ = *std::move(prepare);
  return std::optional<Outcome>{};
}

}  // namespace kp::harness
