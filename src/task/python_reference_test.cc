// SPDX-License-Identifier: Apache-2.0
#include "task/python_reference.h"

#include <gtest/gtest.h>

#include "task/expr_parser.h"

namespace kp::task {
namespace {

Definition definition() {
  Definition made;
  made.name = "d";
  made.reference = "def run(x, i, n):\n    return x, n";
  const auto tensor = [](const char* name, DType type, std::vector<Expr> shape, TensorRole role) {
    Tensor one{.name = name, .dtype = type, .shape = std::move(shape), .role = role};
    return one;
  };
  made.declaration.axes = {"rows"};
  made.declaration.tensors = {
      tensor("x", DType::kBf16, {*parse_python_expr("rows"), Expr(8)}, TensorRole::kInput),
      tensor("i", DType::kI32, {*parse_python_expr("rows")}, TensorRole::kInput),
      tensor("n", DType::kF32, {}, TensorRole::kInput),
      tensor("y", DType::kBf16, {*parse_python_expr("rows"), Expr(8)}, TensorRole::kOutput),
      tensor("m", DType::kF32, {Expr(1)}, TensorRole::kOutput)};
  return made;
}

TEST(PythonReference, BecomesAProblemWhoseSizesAreConstants) {
  EXPECT_EQ(python_problem_of(definition()), R"(def run(x, i, n):
    return x, n

import torch as kp_torch

kp_reference = run
kp_outputs = ("y", "m", )


def run(x, i, n):
    made = kp_reference(x, i, n)
    if isinstance(made, dict):
        made = [made[name] for name in kp_outputs]
    made = made if isinstance(made, (list, tuple)) else [made]
    if len(made) != len(kp_outputs):
        raise ValueError(f"run() gives {len(made)} outputs, the definition has {len(kp_outputs)}")
    return [kp_torch.as_tensor(value) for value in made]


def get_inputs():
    return [kp_torch.zeros((kp_size_x_0, kp_size_x_1, ), dtype=kp_torch.bfloat16),
            kp_torch.zeros((kp_size_i_0, ), dtype=kp_torch.int32),
            0.5]


kp_size_x_0 = 1
kp_size_x_1 = 1
kp_size_i_0 = 1
)");
}

TEST(PythonReference, GivesEveryWorkloadItsSizes) {
  std::vector<Workload> workloads(2);
  workloads[0].axes = {{"rows", 3}};
  workloads[1].axes = {{"rows", 5}};
  ASSERT_TRUE(set_python_sizes(definition().declaration, workloads));
  EXPECT_EQ(workloads[1].constants,
            (std::map<std::string, std::int64_t>{
                {"kp_size_i_0", 5}, {"kp_size_x_0", 5}, {"kp_size_x_1", 8}}));
}

}  // namespace
}  // namespace kp::task
