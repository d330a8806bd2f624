// SPDX-License-Identifier: Apache-2.0
#include "device/tensor_maps.h"

#include <fmt/format.h>

#include <algorithm>

namespace kp::device {
namespace {

constexpr std::uint64_t kStrideBytes = 16;  // strides of a CUtensorMap are multiples of it

struct Described {
  DType dtype = DType::kF32;
  const std::vector<Expr>* shape = nullptr;
};

Described described(const TensorMap& map, const Plan& plan, const Declaration& declaration) {
  if (const Tensor* tensor = declaration.find(map.tensor)) return {tensor->dtype, &tensor->shape};
  const ScratchBuffer* buffer = plan.find_buffer(map.tensor);
  return {buffer->dtype, &buffer->shape};
}

/// Values of `expressions`, the last one first: descriptors begin with the innermost dimension.
template <class Number>
Result<std::vector<Number>> innermost_first(const std::vector<Expr>& expressions,
                                            const Bindings& values) {
  std::vector<Number> numbers;
  for (auto expr = expressions.rbegin(); expr != expressions.rend(); ++expr) {
    KP_TRY(const std::int64_t value, expr->evaluate(values));
    numbers.push_back(static_cast<Number>(value));
  }
  return numbers;
}

Result<void> check_rows(const TensorMap& map, const BoundTensorMap& bound) {
  const std::uint64_t bytes = bound.extents.front() * size_of(bound.dtype);
  if (bound.extents.size() == 1 || bytes % kStrideBytes == 0) return {};
  return fail_at(map.spot,
                 fmt::format("a row of `{}` has {} bytes, which no TMA descriptor can stride",
                             map.tensor, bytes),
                 fmt::format("rows must be multiples of {} bytes", kStrideBytes));
}

}  // namespace

Result<void> bind_tensor_maps(const Plan& plan, const Declaration& declaration, Binding& binding) {
  for (const TensorMap& map : plan.tensor_maps) {
    const auto address = binding.addresses.find(map.tensor);
    if (address == binding.addresses.end()) continue;
    const Described array = described(map, plan, declaration);
    BoundTensorMap bound{.address = address->second, .dtype = array.dtype, .swizzle = map.swizzle};
    KP_TRY(bound.extents, innermost_first<std::uint64_t>(*array.shape, binding.values));
    KP_TRY(bound.box, innermost_first<std::uint32_t>(map.box, binding.values));
    KP_TRY_VOID(check_rows(map, bound));
    binding.maps[map.name] = std::move(bound);
  }
  return {};
}

}  // namespace kp::device
