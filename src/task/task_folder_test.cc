// SPDX-License-Identifier: Apache-2.0
// Task folders in the shared schema, and the shipped tasks.
#include "task/task_folder_fixture.h"

namespace kp::task {
namespace {

TEST(TaskFolder, IsReadInTheSharedSchema) {
  const TaskFolder folder;
  const auto task = folder.read();
  ASSERT_TRUE(task) << task.error().text();
  EXPECT_EQ(task->name, "scale");
  EXPECT_EQ(task->description, "y = a * x");
  EXPECT_FALSE(task->baseline);
  EXPECT_EQ(task->oracle.kind, Oracle::Kind::kHost);
  EXPECT_EQ(task->reference, "def run(): pass");
  EXPECT_EQ(task->oracle.source, folder.path() / "reference.cc");
  const Declaration& declaration = task->declaration;
  EXPECT_EQ(declaration.axes, (std::vector<std::string>{"rows", "cols", "size"}));
  std::vector<std::string> names;
  for (const Tensor& tensor : declaration.tensors) names.push_back(tensor.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "w", "index", "a", "acc", "y", "total"}));
  EXPECT_EQ(declaration.find("w")->role, TensorRole::kWeight);
  EXPECT_EQ(declaration.find("acc")->role, TensorRole::kInOut);
  EXPECT_TRUE(declaration.find("a")->shape.empty());
  EXPECT_EQ(declaration.find("total")->shape, std::vector<Expr>{Expr(1)});
  EXPECT_EQ(declaration.precision, Precision::kF32);
  EXPECT_TRUE(declaration.work.contraction);
  EXPECT_EQ(compulsory_bytes(declaration, {}).value(), 64);
}

TEST(TaskFolder, GivesWorkloadsTheirAxesValuesAndRoles) {
  const auto task = TaskFolder().read();
  ASSERT_TRUE(task) << task.error().text();
  ASSERT_EQ(task->workloads.size(), 2u);
  const Workload& small = task->workloads[0];
  EXPECT_EQ(small.name, "small");
  EXPECT_EQ(small.role, WorkloadRole::kCheck);
  EXPECT_EQ(small.axes, (Bindings{{"rows", 4}, {"cols", 8}, {"size", 16}}));
  EXPECT_EQ(small.scalars.at("a"), 2.5);
  EXPECT_EQ(small.distributions.at("index").high, 3);
  const Workload& large = task->workloads[1];
  EXPECT_EQ(large.role, WorkloadRole::kTime);
  EXPECT_EQ(large.scalars.at("a"), 1);
  EXPECT_EQ(large.distributions.at("x").kind, Distribution::Kind::kUniform);
  EXPECT_EQ(declared_flops(task->declaration, large).value(), 512);
}

TEST(TaskFolder, ChecksTheSmallestWorkloadWhenNoneHasARole) {
  TaskFolder folder;
  folder.write(
      "workload.jsonl",
      R"({"uuid": "b", "axes": {"rows": 9}, "inputs": {"a": {"type": "scalar", "value": 1}}}

{"uuid": "s", "axes": {"rows": 3}, "inputs": {"a": {"type": "scalar", "value": 1}}}
)");
  const auto task = folder.read();
  ASSERT_TRUE(task) << task.error().text();
  ASSERT_EQ(task->workloads.size(), 3u);
  EXPECT_EQ(task->with_role(WorkloadRole::kTime).size(), 2u);
  ASSERT_EQ(task->with_role(WorkloadRole::kCheck).size(), 1u);
  EXPECT_EQ(task->with_role(WorkloadRole::kCheck)[0]->name, "check:s");
}

TEST(ShippedTasks, AreReadAndHaveOddCheckSizes) {
  const Path root = Path(KP_SOURCE_DIR) / "tasks";
  for (const char* name : {"transpose", "swish", "dequant", "softmax", "smooth.cu"}) {
    const auto task = read_task(root / name);
    ASSERT_TRUE(task) << task.error().text();
    EXPECT_TRUE(task->baseline) << name;
    EXPECT_EQ(task->oracle.kind, Oracle::Kind::kHost) << name;
    EXPECT_FALSE(task->with_role(WorkloadRole::kTime).empty()) << name;
    bool odd = false;
    for (const Workload* workload : task->with_role(WorkloadRole::kCheck)) {
      for (const auto& [axis, value] : workload->axes) odd |= value % 2 == 1;
    }
    EXPECT_TRUE(odd) << name;
    const Workload& timed = *task->with_role(WorkloadRole::kTime)[0];
    const Bindings& axes = timed.axes;
    EXPECT_TRUE(declared_flops(task->declaration, timed).value()) << name;
    Declaration without_work = task->declaration;
    without_work.work.bytes.reset();
    EXPECT_EQ(compulsory_bytes(task->declaration, axes).value(),
              compulsory_bytes(without_work, axes).value())
        << name;
  }
}

}  // namespace
}  // namespace kp::task
