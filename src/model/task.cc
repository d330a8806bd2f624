// SPDX-License-Identifier: Apache-2.0
#include "model/task.h"

#include <fmt/format.h>

#include "base/hash.h"

namespace kp {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

Result<double> non_negative(const Expr& expr, const Bindings& axes, std::string_view what) {
  KP_TRY(const std::int64_t value, expr.evaluate(axes));
  if (value < 0) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("work {} = `{}` is {}", what, expr.text(), value),
                "work is a count; it cannot be negative");
  }
  return static_cast<double>(value);
}

double passes(TensorRole role) { return role == TensorRole::kInOut ? 2.0 : 1.0; }

}  // namespace

std::vector<const Workload*> Task::with_role(WorkloadRole role) const {
  std::vector<const Workload*> found;
  for (const Workload& workload : workloads) {
    if (workload.role == role) found.push_back(&workload);
  }
  return found;
}

std::string_view name_of(Oracle::Kind kind) {
  switch (kind) {
    case Oracle::Kind::kHost:
      return "host";
    case Oracle::Kind::kKernels:
      return "kernels";
    case Oracle::Kind::kSelf:
      return "self";
    case Oracle::Kind::kTorch:
      return "torch";
  }
  return "host";
}

std::string Candidate::id() const {
  std::string choice;
  for (const auto& [name, value] : tune) choice += fmt::format("{}={};", name, value);
  return content_address({source, choice});
}

Result<std::uint64_t> element_count(const std::vector<Expr>& shape, const Bindings& bindings) {
  std::int64_t count = 1;
  for (const Expr& dimension : shape) {
    KP_TRY(const std::int64_t extent, dimension.evaluate(bindings));
    if (extent < 1) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("dimension `{}` is {}", dimension.text(), extent),
                  "every dimension of an array must be at least 1");
    }
    if (__builtin_mul_overflow(count, extent, &count) || count > kMostElements) {
      return fail(ErrorCode::kInvalidInput, "an array has more than 2^40 elements",
                  "use smaller axis values");
    }
  }
  return static_cast<std::uint64_t>(count);
}

Result<MatrixExtents> matrix_of(const Tensor& tensor, const Bindings& bindings) {
  KP_TRY_VOID(element_count(tensor.shape, bindings));
  MatrixExtents extents;
  const std::size_t rank = tensor.shape.size();
  const auto extent = [&](std::size_t from_last) -> Result<std::size_t> {
    KP_TRY(const std::int64_t value, tensor.shape[rank - from_last].evaluate(bindings));
    return static_cast<std::size_t>(value);
  };
  if (rank == 0) return extents;
  KP_TRY(extents.columns, extent(1));
  if (rank == 1) return extents;
  KP_TRY(extents.rows, extent(2));
  return extents;
}

Result<double> compulsory_bytes(const Declaration& declaration, const Bindings& axes) {
  if (declaration.work.bytes) return non_negative(*declaration.work.bytes, axes, "bytes");
  double bytes = 0;
  for (const Tensor& tensor : declaration.tensors) {
    if (tensor.shape.empty()) continue;  // a scalar travels with the launch
    KP_TRY(const std::uint64_t count, element_count(tensor.shape, axes));
    KP_TRY(const MatrixExtents extents, matrix_of(tensor, axes));
    const std::uint64_t matrices = count / (extents.rows * extents.columns);
    const std::uint64_t needed =
        tensor.structure.any() ? matrices * independent(tensor.structure, extents) : count;
    bytes += passes(tensor.role) * static_cast<double>(needed * size_of(tensor.dtype));
  }
  return bytes;
}

Result<std::optional<double>> declared_flops(const Declaration& declaration,
                                             const Workload& workload) {
  if (!declaration.work.flops) return workload.flops;
  KP_TRY(const double flops, non_negative(*declaration.work.flops, workload.axes, "flops"));
  return std::optional<double>{flops};
}

Task fitted(Task task, bool hardware) {
  const WorkloadPlace elsewhere = hardware ? WorkloadPlace::kVirtual : WorkloadPlace::kHardware;
  std::erase_if(task.workloads, [&](const Workload& w) { return w.place == elsewhere; });
  return task;
}

}  // namespace kp
