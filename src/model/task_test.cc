// SPDX-License-Identifier: Apache-2.0
#include "model/task.h"

#include <gtest/gtest.h>

namespace kp {
namespace {

Expr name(const char* text) { return Expr({{Expr::Op::kName, 0, text}}, text); }

Tensor tensor(const char* called, TensorRole role, std::vector<Expr> shape) {
  Tensor out;
  out.name = called;
  out.role = role;
  out.shape = std::move(shape);
  return out;
}

TEST(ElementCount, MultipliesTheShape) {
  EXPECT_EQ(element_count({name("n"), Expr(3)}, {{"n", 5}}).value(), 15u);
  EXPECT_EQ(element_count({}, {}).value(), 1u);
}

TEST(ElementCount, RefusesEmptyAndHugeShapes) {
  EXPECT_EQ(element_count({Expr(4), Expr(0)}, {}).error().message, "dimension `0` is 0");
  EXPECT_EQ(element_count({name("n")}, {{"n", -2}}).error().message, "dimension `n` is -2");
  const std::int64_t edge = std::int64_t{1} << 40;
  EXPECT_EQ(element_count({Expr(edge)}, {}).value(), static_cast<std::uint64_t>(edge));
  EXPECT_FALSE(element_count({Expr(edge), Expr(2)}, {}));
  EXPECT_FALSE(element_count({Expr(edge), Expr(edge), Expr(edge)}, {}));
}

TEST(CompulsoryBytes, CountEveryArrayOnceAndInOutTwice) {
  Declaration declaration;
  declaration.tensors = {
      tensor("x", TensorRole::kInput, {name("n")}), tensor("w", TensorRole::kWeight, {Expr(10)}),
      tensor("eps", TensorRole::kInput, {}), tensor("s", TensorRole::kInOut, {name("n")}),
      tensor("y", TensorRole::kOutput, {name("n")})};
  declaration.tensors[1].dtype = DType::kF16;
  EXPECT_EQ(compulsory_bytes(declaration, {{"n", 100}}).value(), 400 + 20 + 800 + 400);
  declaration.work.bytes = name("n");
  EXPECT_EQ(compulsory_bytes(declaration, {{"n", 100}}).value(), 100);
  declaration.work.bytes.reset();
  Tensor& x = declaration.tensors[0];
  x = {.name = "x", .shape = {Expr(2), Expr(3), Expr(3)}};
  const double before = compulsory_bytes(declaration, {{"n", 100}}).value();
  x.structure.form = Structure::Form::kUpper;
  EXPECT_EQ(compulsory_bytes(declaration, {{"n", 100}}).value(), before - 4 * 2 * 3)
      << "three zeroes in each matrix need not be read";
}

TEST(DeclaredFlops, AreAbsentWhenTheTaskDoesNotSay) {
  Declaration declaration;
  EXPECT_EQ(declared_flops(declaration, Workload{}).value(), std::nullopt);
  declaration.work.flops = Expr(12);
  EXPECT_EQ(declared_flops(declaration, Workload{}).value(), 12.0);
  declaration.work.flops = Expr(-1);
  EXPECT_EQ(declared_flops(declaration, Workload{}).error().message, "work flops = `-1` is -1");
}

TEST(Candidate, IsIdentifiedByItsTextAndItsTuneChoice) {
  Candidate candidate;
  candidate.source = "a";
  const std::string plain = candidate.id();
  EXPECT_EQ(plain.size(), 32u);
  candidate.file = "elsewhere.cu";
  EXPECT_EQ(candidate.id(), plain);
  candidate.tune["B"] = 1;
  const std::string tuned = candidate.id();
  EXPECT_NE(tuned, plain);
  candidate.source = "b";
  EXPECT_NE(candidate.id(), tuned);
}

TEST(Task, SelectsWorkloadsByRole) {
  Task task;
  task.workloads.resize(3);
  task.workloads[1].role = WorkloadRole::kCheck;
  EXPECT_EQ(task.with_role(WorkloadRole::kTime).size(), 2u);
  ASSERT_EQ(task.with_role(WorkloadRole::kCheck).size(), 1u);
  EXPECT_EQ(task.with_role(WorkloadRole::kCheck)[0], &task.workloads[1]);
}

TEST(Plan, FindsByName) {
  Declaration declaration;
  declaration.tensors = {tensor("x", TensorRole::kInput, {})};
  EXPECT_EQ(declaration.find("x"), declaration.tensors.data());
  EXPECT_EQ(declaration.find("y"), nullptr);
  Plan plan;
  plan.buffers.resize(1);
  plan.buffers[0].name = "b";
  EXPECT_EQ(plan.find_buffer("b"), plan.buffers.data());
  EXPECT_EQ(plan.find_buffer("x"), nullptr);
}

TEST(Task, keeps_only_the_workloads_of_its_kind_of_device) {
  Task task;
  task.workloads = {{.name = "small"},
                    {.name = "large", .place = WorkloadPlace::kHardware},
                    {.name = "reduced", .place = WorkloadPlace::kVirtual}};
  const Task real = fitted(task, true), simulated = fitted(task, false);
  ASSERT_EQ(real.workloads.size(), 2u);
  EXPECT_EQ(real.workloads[1].name, "large");
  ASSERT_EQ(simulated.workloads.size(), 2u);
  EXPECT_EQ(simulated.workloads[1].name, "reduced");
}

TEST(Task, takes_operations_that_were_counted_where_there_is_no_formula) {
  Declaration declaration;
  EXPECT_EQ(declared_flops(declaration, {.name = "counted", .flops = 7.0}).value(), 7.0);
  declaration.work.flops = Expr(3);
  EXPECT_EQ(declared_flops(declaration, {.name = "counted", .flops = 7.0}).value(), 3.0);
}

}  // namespace
}  // namespace kp
