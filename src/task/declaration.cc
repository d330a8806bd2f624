// SPDX-License-Identifier: Apache-2.0
#include "task/declaration.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "model/task.h"

namespace kp::task {
namespace {

std::optional<Precision> class_of(DType type) {
  switch (type) {
    case DType::kF64:
      return Precision::kF64;
    case DType::kF32:
      return Precision::kF32;
    case DType::kF16:
      return Precision::kF16;
    case DType::kBf16:
      return Precision::kBf16;
    case DType::kF8E4M3:
    case DType::kF8E5M2:
      return Precision::kF8;
    default:
      return std::nullopt;
  }
}

Error in_workload(Error error, const SourceSpot& spot, const std::string& name) {
  if (error.spot.line == 0) error.spot = spot;
  return std::move(error).within(fmt::format("workload {}", name));
}

}  // namespace

Result<void> check_names(const Expr& expr, const std::vector<std::string>& known,
                         const SourceSpot& spot) {
  for (const std::string& name : expr.names()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::optional<std::string> close = nearest(name, known);
    std::string hint = known.empty() ? "no axis is declared before"
                                     : "the names known here are " + join(known, ", ");
    return fail_at(spot, fmt::format("unknown name `{}` in `{}`", name, expr.text()),
                   close ? fmt::format("did you mean `{}`?", *close) : std::move(hint));
  }
  return {};
}

Result<void> check_declaration(const Declaration& declaration, const SourceSpot& spot) {
  bool computes = false;
  for (const Tensor& tensor : declaration.tensors) {
    for (const Expr& dimension : tensor.shape) {
      KP_TRY_VOID(check_names(dimension, declaration.axes, tensor.spot));
    }
    computes |= is_output(tensor);
  }
  if (!computes) {
    return fail_at(spot, "the task has no output",
                   "declare what it computes: `output y : f32[n]`, or inout");
  }
  for (const auto& figure : {declaration.work.flops, declaration.work.bytes}) {
    if (figure) KP_TRY_VOID(check_names(*figure, declaration.axes, spot));
  }
  return {};
}

Result<void> check_sizes(const Declaration& declaration, const Workload& workload) {
  for (const Tensor& tensor : declaration.tensors) {
    const auto count = element_count(tensor.shape, workload.axes);
    if (!count) {
      return tl::unexpected<Error>(
          in_workload(Error(count.error()).within(fmt::format("`{}`", tensor.name)), tensor.spot,
                      workload.name));
    }
  }
  const auto bytes = compulsory_bytes(declaration, workload.axes);
  if (!bytes) return tl::unexpected<Error>(in_workload(bytes.error(), {}, workload.name));
  const auto flops = declared_flops(declaration, workload);
  if (!flops) return tl::unexpected<Error>(in_workload(flops.error(), {}, workload.name));
  return {};
}

Result<double> total_bytes(const Declaration& declaration, const Bindings& axes) {
  double bytes = 0;
  for (const Tensor& tensor : declaration.tensors) {
    KP_TRY(const std::uint64_t count, element_count(tensor.shape, axes));
    bytes += static_cast<double>(count * size_of(tensor.dtype));
  }
  return bytes;
}

Precision default_precision(const Declaration& declaration) {
  std::optional<Precision> loosest;
  for (const Tensor& tensor : declaration.tensors) {
    const std::optional<Precision> its = class_of(tensor.dtype);
    if (its && (!loosest || *its > *loosest)) loosest = its;
  }
  return loosest.value_or(Precision::kF32);
}

}  // namespace kp::task
