// SPDX-License-Identifier: Apache-2.0
#include "device/bind.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/parameter_block.h"

namespace kp::device {
namespace {

tl::unexpected<Error> at(const SourceSpot& spot, Error error) {
  error.spot = spot;
  return tl::unexpected<Error>(std::move(error));
}

tl::unexpected<Error> not_here(const SourceSpot& spot, std::string_view what,
                               const Description& device, std::string_view hint) {
  return at(spot, {ErrorCode::kUnsupported,
                   fmt::format("{} not on this device ({})", what, device.name),
                   std::string(hint),
                   {},
                   {}});
}

Result<void> check_forms(const Launch& launch, const task::ResolvedLaunch& shape,
                         const Description& device) {
  const bool clustered = shape.cluster[0] * shape.cluster[1] * shape.cluster[2] > 1;
  if (clustered && !device.clusters) {
    return not_here(launch.spot, "clusters of blocks are", device, "launch without cluster(...)");
  }
  if (launch.cooperative && !device.cooperative) {
    return not_here(launch.spot, "cooperative launches are", device,
                    "split the kernel at its grid barrier");
  }
  return {};
}

/// Packs the arguments of one launch.
class Packer {
 public:
  Packer(const Binding& binding, const Description& device, BoundLaunch& launch)
      : binding_(binding), device_(device), launch_(launch), block_(launch.parameters) {}

  Result<void> pack(const build::KernelParameter& parameter, const Argument& argument) const {
    Result<void> packed =
        std::visit([&](const auto& value) { return pack_value(parameter, value); }, argument.value);
    if (!packed) return at(argument.spot, std::move(packed).error());
    return {};
  }

 private:
  Result<void> pack_value(const build::KernelParameter& parameter, const std::string& name) const {
    if (const auto found = binding_.addresses.find(name); found != binding_.addresses.end()) {
      return pack_address(parameter, found->second, block_);
    }
    if (const auto found = binding_.scalars.find(name); found != binding_.scalars.end()) {
      return pack_real(parameter, found->second, block_);
    }
    if (const auto found = binding_.values.find(name); found != binding_.values.end()) {
      return pack_integer(parameter, found->second, block_);
    }
    if (parameter.type.find("CUtensorMap") != std::string::npos && !device_.tensor_maps) {
      return not_here({}, "tensor maps are", device_, "load tiles with cp.async or plain loads");
    }
    if (const auto found = binding_.maps.find(name); found != binding_.maps.end()) {
      launch_.tensor_maps.push_back(found->second);
      launch_.tensor_maps.back().offset = parameter.offset;
      return {};
    }
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("`{}` is not a tensor, scratch buffer, scalar, axis or tune parameter", name),
        "declare it in the plan, or correct its spelling");
  }
  Result<void> pack_value(const build::KernelParameter& parameter, const Expr& expr) const {
    KP_TRY(const std::int64_t value, expr.evaluate(binding_.values));
    return pack_integer(parameter, value, block_);
  }
  Result<void> pack_value(const build::KernelParameter& parameter, double value) const {
    return pack_real(parameter, value, block_);
  }

  const Binding& binding_;
  const Description& device_;
  BoundLaunch& launch_;
  std::span<std::byte> block_;
};

std::size_t block_bytes(const build::KernelSignature& signature) {
  std::size_t bytes = 0;
  for (const build::KernelParameter& parameter : signature.parameters) {
    bytes = std::max(bytes, std::size_t{parameter.offset} + parameter.bytes);
  }
  return bytes;
}

Result<BoundStep> bind_launch(const Launch& launch, const build::Binary& binary,
                              const Binding& binding, const Description& device) {
  const build::KernelSignature* signature = binary.find_signature(launch.kernel);
  if (signature == nullptr) {
    return fail_at(launch.spot, fmt::format("there is no kernel `{}` in the source", launch.kernel),
                   "a kernel is an extern \"C\" __global__ function of the same file");
  }
  if (signature->parameters.size() != launch.arguments.size()) {
    return fail_at(launch.spot,
                   fmt::format("kernel `{}` takes {} arguments and gets {}", launch.kernel,
                               signature->parameters.size(), launch.arguments.size()));
  }
  BoundLaunch bound{.kernel = launch.kernel};
  KP_TRY(bound.shape, task::resolve_launch(launch, binding.values));
  KP_TRY_VOID(check_forms(launch, bound.shape, device));
  bound.parameters.resize(block_bytes(*signature));
  const Packer packer(binding, device, bound);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    KP_TRY_VOID(packer.pack(signature->parameters[i], launch.arguments[i]));
  }
  return BoundStep(std::move(bound));
}

Result<BoundStep> bind_zero(const ZeroStep& zero, const Binding& binding) {
  const auto address = binding.addresses.find(zero.buffer);
  const auto bytes = binding.bytes.find(zero.buffer);
  if (address == binding.addresses.end() || bytes == binding.bytes.end()) {
    return fail_at(zero.spot,
                   fmt::format("there is no buffer or output `{}` to clear", zero.buffer),
                   "declare it with `buffer`");
  }
  return BoundStep(BoundZero{address->second, bytes->second});
}

}  // namespace

Result<std::vector<BoundStep>> bind_steps(const std::vector<Step>& steps,
                                          const build::Binary& binary, const Binding& binding,
                                          const Description& device) {
  std::vector<BoundStep> bound;
  for (const Step& step : steps) {
    if (const auto* launch = std::get_if<Launch>(&step)) {
      KP_TRY(bound.emplace_back(), bind_launch(*launch, binary, binding, device));
    } else {
      KP_TRY(bound.emplace_back(), bind_zero(std::get<ZeroStep>(step), binding));
    }
  }
  return bound;
}

}  // namespace kp::device
