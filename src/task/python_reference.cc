// SPDX-License-Identifier: Apache-2.0
#include "task/python_reference.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/text.h"

namespace kp::task {
namespace {

/// The constant that holds an extent of the input `tensor`.
std::string size_name(const Tensor& tensor, std::size_t dimension) {
  return fmt::format("kp_size_{}_{}", tensor.name, dimension);
}

bool is_input(const Tensor& tensor) { return tensor.role != TensorRole::kOutput; }

std::string zeros_text(const Tensor& tensor) {
  if (tensor.shape.empty())
    return tensor.dtype == DType::kBool ? "False" : is_floating(tensor.dtype) ? "0.5" : "0";
  std::string sizes;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) sizes += size_name(tensor, i) + ", ";
  return fmt::format("kp_torch.zeros(({}), dtype=kp_torch.{})", sizes, torch_type(tensor.dtype));
}

constexpr std::string_view kRun = R"(

import torch as kp_torch

kp_reference = run
kp_outputs = ({outputs})


def run({inputs}):
    made = kp_reference({inputs})
    if isinstance(made, dict):
        made = [made[name] for name in kp_outputs]
    made = made if isinstance(made, (list, tuple)) else [made]
    if len(made) != len(kp_outputs):
        raise ValueError(f"run() gives {{len(made)}} outputs, the definition has {{len(kp_outputs)}}")
    return [kp_torch.as_tensor(value) for value in made]


def get_inputs():
    return [{values}]
)";

}  // namespace

std::string torch_type(DType type) {
  switch (type) {
    case DType::kF64:
      return "float64";
    case DType::kF32:
      return "float32";
    case DType::kF16:
      return "float16";
    case DType::kBf16:
      return "bfloat16";
    case DType::kF8E4M3:
      return "float8_e4m3fn";
    case DType::kF8E5M2:
      return "float8_e5m2";
    case DType::kBool:
      return "bool";
    default:
      return fmt::format("{}int{}", is_signed_integer(type) ? "" : "u", 8 * size_of(type));
  }
}

std::string python_problem_of(const std::string& reference, const Declaration& declaration,
                              const std::vector<std::string>& values) {
  std::string outputs;
  std::vector<std::string> inputs;
  for (const Tensor& tensor : declaration.tensors) {
    if (is_output(tensor)) outputs += fmt::format("\"{}\", ", tensor.name);
    if (is_input(tensor)) inputs.push_back(tensor.name);
  }
  return reference + fmt::format(kRun, fmt::arg("outputs", outputs),
                                 fmt::arg("inputs", join(inputs, ", ")),
                                 fmt::arg("values", join(values, ",\n            ")));
}

std::string python_problem_of(const Definition& definition) {
  std::string sizes;
  std::vector<std::string> values;
  for (const Tensor& tensor : definition.declaration.tensors) {
    if (!is_input(tensor)) continue;
    values.push_back(zeros_text(tensor));
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) sizes += size_name(tensor, i) + " = 1\n";
  }
  return python_problem_of(definition.reference, definition.declaration, values) + "\n\n" + sizes;
}

Result<void> set_python_sizes(const Declaration& declaration, std::vector<Workload>& workloads) {
  for (Workload& workload : workloads) {
    for (const Tensor& tensor : declaration.tensors) {
      if (!is_input(tensor)) continue;
      for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        KP_TRY(const std::int64_t extent, tensor.shape[i].evaluate(workload.axes));
        workload.constants[size_name(tensor, i)] = extent;
      }
    }
  }
  return {};
}

Result<Path> keep_python_problem(const std::string& text) {
  const Path folder = cache_folder() / "problems";
  KP_TRY_VOID(make_folder(folder));
  const Path file = folder / (content_address({text}) + ".py");
  KP_TRY_VOID(write_file(file, text));
  return file;
}

}  // namespace kp::task
