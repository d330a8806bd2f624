// SPDX-License-Identifier: Apache-2.0
#include "task/timed_problem.h"

#include <fmt/format.h>

#include "task/distribution.h"
#include "task/python_reference.h"

namespace kp::task {
namespace {

std::string drawn_text(const Distribution& how, const std::string& shape) {
  switch (how.kind) {
    case Distribution::Kind::kNormal:
      return fmt::format("kp_torch.randn({})", shape);
    case Distribution::Kind::kUniform:
      return fmt::format("({} + {} * kp_torch.rand({}))", how.low, how.high - how.low, shape);
    case Distribution::Kind::kInteger:
      break;
  }
  return fmt::format("kp_torch.randint({:.0f}, {:.0f}, {})", how.low, how.high + 1, shape);
}

Result<std::string> input_text(const Tensor& tensor, const Workload& workload) {
  if (workload.data.contains(tensor.name) || tensor.structure.any()) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("input `{}` comes from a file or has a form of its own", tensor.name));
  }
  if (tensor.shape.empty()) {
    const auto own = workload.scalars.find(tensor.name);
    const double value = own != workload.scalars.end() ? own->second : tensor.scalar.value_or(0);
    return is_floating(tensor.dtype) ? fmt::format("{:#}", value) : fmt::format("{:.0f}", value);
  }
  std::string shape;
  for (const Expr& dimension : tensor.shape) {
    KP_TRY(const std::int64_t extent, dimension.evaluate(workload.axes));
    shape += fmt::format("{}, ", extent);
  }
  return fmt::format("{}.to(kp_torch.{})",
                     drawn_text(distribution_of(tensor, workload), "(" + shape + ")"),
                     torch_type(tensor.dtype));
}

/// run() may ask for axes by name, where no input has them.
constexpr std::string_view kWithAxes = R"(

import functools as kp_functools
import inspect as kp_inspect

kp_axes = {{{axes}}}
run = kp_functools.partial(run, **{{name: value for name, value in kp_axes.items()
                                   if name in kp_inspect.signature(run).parameters}})
)";

std::string with_axes(const std::string& reference, const Bindings& axes) {
  std::string list;
  for (const auto& [name, value] : axes) list += fmt::format("\"{}\": {}, ", name, value);
  return reference + fmt::format(kWithAxes, fmt::arg("axes", list));
}

bool is_file_of_python(const Task& task) {
  return task.oracle.kind == Oracle::Kind::kTorch && task.path.extension() == ".py";
}

}  // namespace

bool has_python(const Task& task) { return is_file_of_python(task) || !task.reference.empty(); }

Result<TimedProblem> timed_problem(const Task& task, const Workload& workload) {
  if (is_file_of_python(task)) return TimedProblem{task.oracle.source, workload.constants};
  if (task.reference.empty())
    return fail(ErrorCode::kUnsupported, "the task has no definition in PyTorch");
  std::vector<std::string> inputs;
  for (const Tensor& tensor : task.declaration.tensors) {
    if (tensor.role == TensorRole::kOutput) continue;
    KP_TRY(inputs.emplace_back(), input_text(tensor, workload));
  }
  KP_TRY(const Path file, keep_python_problem(python_problem_of(
                              with_axes(task.reference, workload.axes), task.declaration, inputs)));
  return TimedProblem{file, {}};
}

}  // namespace kp::task
