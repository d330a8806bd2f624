// SPDX-License-Identifier: Apache-2.0
// The statements that declare a task: axis, check, time, input, output, inout, weight, work.
#include <fmt/format.h>

#include <cmath>

#include "task/distribution.h"
#include "task/expr_parser.h"
#include "task/plan_draft.h"

namespace kp::task {
namespace {

Result<void> workload_line(Cursor& cursor, PlanDraft& draft, WorkloadRole role) {
  WorkloadLine line{role, {}, cursor.spot()};
  do {
    WorkloadLine::Value value;
    value.spot = cursor.spot();
    KP_TRY(const Token name, cursor.expect_name("the name of an axis"));
    value.axis = name.text;
    KP_TRY_VOID(cursor.expect("=", "the axis"));
    KP_TRY(value.value, parse_signed_integer(cursor));
    line.values.push_back(std::move(value));
  } while (cursor.accept(","));
  draft.workloads.push_back(std::move(line));
  return {};
}

Result<void> check_scalar(const Tensor& tensor, double value) {
  if (is_floating(tensor.dtype)) return {};
  const IntegerRange range = representable(tensor.dtype);
  const bool whole = value == std::floor(value);
  if (whole && value >= static_cast<double>(range.low) &&
      value <= static_cast<double>(range.high)) {
    return {};
  }
  return fail_at(tensor.spot, fmt::format("`{}` = {} is not a value of {}", tensor.name, value,
                                          name_of(tensor.dtype)));
}

Result<void> scalar_rules(const Tensor& tensor) {
  if (!tensor.shape.empty()) {
    if (!tensor.scalar) return {};
    return fail_at(tensor.spot, fmt::format("array `{}` cannot take one value", tensor.name),
                   "`= value` is for scalars, which have no [shape]");
  }
  if (tensor.role != TensorRole::kInput) {
    return fail_at(
        tensor.spot, fmt::format("{} `{}` needs a shape", name_of(tensor.role), tensor.name),
        fmt::format("write `{} : {}[1]` for a single element", tensor.name, name_of(tensor.dtype)));
  }
  if (!tensor.scalar) {
    return fail_at(tensor.spot, fmt::format("scalar `{}` has no value", tensor.name),
                   fmt::format("write `input {} : {} = 1`, or give it a [shape]", tensor.name,
                               name_of(tensor.dtype)));
  }
  return check_scalar(tensor, *tensor.scalar);
}

Result<void> tensor_statement(Cursor& cursor, PlanDraft& draft, TensorRole role) {
  Tensor tensor;
  tensor.role = role;
  tensor.spot = cursor.spot();
  const std::string what =
      fmt::format("{} {}", role == TensorRole::kWeight ? "a" : "an", name_of(role));
  KP_TRY(const Token name, declare(cursor, draft, what));
  tensor.name = name.text;
  KP_TRY(tensor.dtype, parse_dtype(cursor));
  KP_TRY(tensor.shape, parse_shape(cursor));
  tensor.distribution = default_distribution(tensor.dtype);
  if (cursor.peek().is("~")) {
    if (role == TensorRole::kOutput || tensor.shape.empty()) {
      return fail_at(cursor.spot(), fmt::format("`{}` cannot have a distribution", tensor.name),
                     role == TensorRole::kOutput ? "outputs are computed; use inout for an array "
                                                   "that is read and written"
                                                 : "a scalar takes a value: `= 1e-5`");
    }
    cursor.take();
    KP_TRY(tensor.distribution, parse_distribution(cursor, draft, tensor));
  }
  if (cursor.accept("=")) {
    KP_TRY(tensor.scalar, parse_signed_real(cursor));
  }
  KP_TRY_VOID(scalar_rules(tensor));
  draft.parsed.declaration.tensors.push_back(std::move(tensor));
  return {};
}

Result<void> work_item(Cursor& cursor, Work& work) {
  const SourceSpot spot = cursor.spot();
  KP_TRY(const std::string item,
         parse_choice(cursor, "a figure of `work`", {"flops", "bytes", "contraction"}));
  const bool repeated = (item == "flops" && work.flops) || (item == "bytes" && work.bytes) ||
                        (item == "contraction" && work.contraction);
  if (repeated) return fail_at(spot, fmt::format("`{}` stands twice", item));
  if (item == "contraction") {
    work.contraction = true;
    return {};
  }
  KP_TRY_VOID(cursor.expect("=", fmt::format("`{}`", item)));
  KP_TRY(Expr value, parse_expr(cursor));
  (item == "flops" ? work.flops : work.bytes) = std::move(value);
  return {};
}

}  // namespace

Result<void> axis_statement(Cursor& cursor, PlanDraft& draft) {
  do {
    AxisLine axis;
    axis.spot = cursor.spot();
    KP_TRY(const Token name, declare(cursor, draft, "an axis"));
    axis.name = name.text;
    KP_TRY_VOID(cursor.expect("=", "the axis"));
    KP_TRY(axis.value, parse_expr(cursor));
    draft.parsed.declaration.axes.push_back(axis.name);
    draft.axes.push_back(std::move(axis));
  } while (cursor.accept(","));
  return {};
}

Result<void> check_statement(Cursor& cursor, PlanDraft& draft) {
  return workload_line(cursor, draft, WorkloadRole::kCheck);
}
Result<void> time_statement(Cursor& cursor, PlanDraft& draft) {
  return workload_line(cursor, draft, WorkloadRole::kTime);
}
Result<void> input_statement(Cursor& cursor, PlanDraft& draft) {
  return tensor_statement(cursor, draft, TensorRole::kInput);
}
Result<void> output_statement(Cursor& cursor, PlanDraft& draft) {
  return tensor_statement(cursor, draft, TensorRole::kOutput);
}
Result<void> inout_statement(Cursor& cursor, PlanDraft& draft) {
  return tensor_statement(cursor, draft, TensorRole::kInOut);
}
Result<void> weight_statement(Cursor& cursor, PlanDraft& draft) {
  return tensor_statement(cursor, draft, TensorRole::kWeight);
}

Result<void> work_statement(Cursor& cursor, PlanDraft& draft) {
  KP_TRY_VOID(only_once(cursor, draft, "work"));
  do {
    KP_TRY_VOID(work_item(cursor, draft.parsed.declaration.work));
  } while (cursor.accept(","));
  return {};
}

}  // namespace kp::task
