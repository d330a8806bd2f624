// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "task/plan_check.h"
#include "task/task.h"

namespace kp::task {
namespace {

constexpr std::uint64_t kZeroedBytes = 64 * 1024;  // cleared untimed, so it must be small
constexpr std::int64_t kLongestBox = 256;          // elements, each dimension
constexpr std::int64_t kBoxGranularity = 16;       // bytes, innermost dimension

template <class T>
Result<T> located(Result<T> result, const SourceSpot& spot) {
  if (result || result.error().spot.line > 0) return result;
  Error error = std::move(result).error();
  error.spot = spot;
  return tl::unexpected<Error>(std::move(error));
}

Result<void> check_buffer(const ScratchBuffer& buffer, const Bindings& bindings) {
  KP_TRY(const std::uint64_t count, located(element_count(buffer.shape, bindings), buffer.spot));
  const std::uint64_t bytes = count * size_of(buffer.dtype);
  if (!buffer.zeroed || bytes <= kZeroedBytes) return {};
  return fail_at(buffer.spot, fmt::format("zeroed buffer `{}` has {} bytes", buffer.name, bytes),
                 fmt::format("`= 0` clears at most {} bytes untimed; for more, drop it and add the "
                             "step `zero {}`",
                             kZeroedBytes, buffer.name));
}

std::int64_t swizzle_bytes(const std::string& swizzle) {
  if (swizzle == "32B") return 32;
  if (swizzle == "64B") return 64;
  return swizzle == "128B" ? 128 : 0;
}

Result<void> check_inner_bytes(const TensorMap& map, std::int64_t bytes) {
  if (bytes % kBoxGranularity != 0) {
    return fail_at(map.spot,
                   fmt::format("the innermost extent of `{}` has {} bytes", map.name, bytes),
                   fmt::format("TMA moves multiples of {} bytes", kBoxGranularity));
  }
  const std::int64_t swizzle = swizzle_bytes(map.swizzle);
  if (swizzle == 0 || bytes <= swizzle) return {};
  return fail_at(map.spot,
                 fmt::format("the innermost extent of `{}` has {} bytes, more than swizzle {}",
                             map.name, bytes, map.swizzle),
                 "make the box narrower or the swizzle wider");
}

Result<void> check_box(const Declaration& declaration, const Plan& plan, const TensorMap& map,
                       const Bindings& bindings) {
  std::int64_t inner = 1;
  for (const Expr& extent : map.box) {
    KP_TRY(inner, located(extent.evaluate(bindings), map.spot));
    if (inner < 1 || inner > kLongestBox) {
      return fail_at(map.spot,
                     fmt::format("box extent `{}` of `{}` is {}", extent.text(), map.name, inner),
                     fmt::format("TMA allows 1 to {}", kLongestBox));
    }
  }
  const Tensor* tensor = declaration.find(map.tensor);
  const DType type = tensor != nullptr ? tensor->dtype : plan.find_buffer(map.tensor)->dtype;
  return check_inner_bytes(map, inner * static_cast<std::int64_t>(size_of(type)));
}

Result<void> check_steps(const std::vector<Step>& steps, const Bindings& bindings) {
  for (const Step& step : steps) {
    const auto* launch = std::get_if<Launch>(&step);
    if (launch == nullptr) continue;
    KP_TRY_VOID(resolve_launch(*launch, bindings));
    for (const Argument& argument : launch->arguments) {
      const auto* expr = std::get_if<Expr>(&argument.value);
      if (expr != nullptr) KP_TRY_VOID(located(expr->evaluate(bindings), argument.spot));
    }
  }
  return {};
}

}  // namespace

Result<void> check_plan_sizes(const Declaration& declaration, const Plan& plan,
                              const Bindings& bindings) {
  for (const ScratchBuffer& buffer : plan.buffers) KP_TRY_VOID(check_buffer(buffer, bindings));
  for (const TensorMap& map : plan.tensor_maps) {
    KP_TRY_VOID(check_box(declaration, plan, map, bindings));
  }
  for (const auto* steps : {&plan.prepare, &plan.steps, &plan.oracle}) {
    KP_TRY_VOID(check_steps(*steps, bindings));
  }
  return {};
}

}  // namespace kp::task
