// SPDX-License-Identifier: Apache-2.0
#include "task/python_problem.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "task/problem_fixture.h"
#include "task/task.h"

namespace kp::task {
namespace {

using Kind = Distribution::Kind;

const Workload& named(const Task& task, std::string_view name) {
  for (const Workload& workload : task.workloads) {
    if (workload.name == name) return workload;
  }
  ADD_FAILURE() << name;
  return task.workloads.front();
}

class PythonProblem : public ::testing::Test {
 protected:
  void SetUp() override { worker_.unused = {"idle"}; }
  Result<Task> read() { return read_python_problem(worker_, folder_.path() / "7_Pairs.py"); }

  TemporaryFolder folder_ = TemporaryFolder::make("python-problem").value();
  FakeWorker worker_;
};

TEST_F(PythonProblem, becomes_a_task_over_axes) {
  const auto task = read();
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_EQ(task->name, "7_Pairs");
  EXPECT_EQ(task->oracle.kind, Oracle::Kind::kTorch);
  EXPECT_EQ(task->declaration.axes, (std::vector<std::string>{"rows", "cols", "bias_0"}));
  ASSERT_EQ(task->declaration.tensors.size(), 5u) << "`idle` does nothing";
  const auto& tensors = task->declaration.tensors;
  EXPECT_EQ(tensors[1].dtype, DType::kI64);
  EXPECT_EQ(tensors[2].scalar, 2.5);
  EXPECT_EQ(tensors[3].role, TensorRole::kWeight);
  EXPECT_EQ(tensors[4].role, TensorRole::kOutput);
  EXPECT_FALSE(task->declaration.work.contraction);
  EXPECT_FALSE(task->baseline);
}

TEST_F(PythonProblem, is_timed_at_its_size_on_hardware_and_reduced_elsewhere) {
  const Task task = read().value();
  const Task real = fitted(task, true), simulated = fitted(task, false);
  ASSERT_EQ(real.with_role(WorkloadRole::kTime).size(), 1u);
  EXPECT_EQ(real.with_role(WorkloadRole::kTime)[0]->axes.at("rows"), 8192);
  EXPECT_EQ(real.with_role(WorkloadRole::kTime)[0]->flops, 8192.0 * 4096);
  EXPECT_EQ(real.with_role(WorkloadRole::kBeside).size(), 1u);
  ASSERT_EQ(simulated.with_role(WorkloadRole::kTime).size(), 1u);
  EXPECT_LT(simulated.with_role(WorkloadRole::kTime)[0]->axes.at("rows"), 8192);
  EXPECT_TRUE(simulated.with_role(WorkloadRole::kBeside).empty());
  EXPECT_EQ(simulated.with_role(WorkloadRole::kCheck)[0]->constants.at("cols"), 64);
}

TEST_F(PythonProblem, keeps_the_domain_of_inputs_that_need_it) {
  const Task task = read().value();
  const Distribution x = named(task, "screened").distributions.at("x");
  EXPECT_EQ(x, (Distribution{Kind::kUniform, 0, 1})) << "the logarithm of a negative number";
  worker_.of_element = [](double v) { return v; };
  const Task everywhere = read().value();
  EXPECT_EQ(named(everywhere, "screened").distributions.at("x").kind, Kind::kNormal);
  EXPECT_EQ(named(everywhere, "original").distributions.at("x"),
            (Distribution{Kind::kUniform, 0, 1}));
}

TEST_F(PythonProblem, draws_weights_anew_that_were_constant) {
  const Task task = read().value();
  EXPECT_EQ(named(task, "screened").distributions.at("bias"),
            (Distribution{Kind::kUniform, -0.5, 0.5}));
  EXPECT_EQ(named(task, "original").distributions.at("bias"), (Distribution{Kind::kUniform, 0, 0}));
}

TEST_F(PythonProblem, keeps_indices_below_the_axis_that_bounds_them) {
  const Task task = read().value();
  EXPECT_EQ(named(task, "screened").distributions.at("index"),
            (Distribution{Kind::kInteger, 0, 4095}));
  EXPECT_EQ(task.with_role(WorkloadRole::kCheck)[0]->distributions.at("index"),
            (Distribution{Kind::kInteger, 0, 63}));
}

TEST_F(PythonProblem, keeps_what_the_values_of_its_author_have_in_common) {
  EXPECT_FALSE(read()->declaration.find("x")->structure.any());
  const auto constants = read()->with_role(WorkloadRole::kCheck)[0]->constants;
  const auto extent = [&](const char* name) {
    return static_cast<std::size_t>(constants.at(name));
  };
  auto& x = worker_.drawn["x"];
  for (std::size_t i = 0; i < extent("rows") * extent("cols"); ++i)
    x.push_back(1 + static_cast<double>(i * i % 101));
  apply({Structure::Form::kUpper, {}}, {extent("rows"), extent("cols")}, x);
  worker_.drawn["index"].assign(extent("rows"), 3);
  worker_.drawn["index"][0] = 7;
  const Task task = read().value();
  EXPECT_EQ(task.declaration.find("x")->structure.form, Structure::Form::kUpper);
  ASSERT_TRUE(task.declaration.find("index")->structure.two) << "an index that is 3 or 7";
  EXPECT_EQ(named(task, "screened").distributions.at("index"), (Distribution{Kind::kUniform, 0, 1}))
      << "one of the two is drawn";
}

TEST_F(PythonProblem, is_refused_when_it_is_random) {
  worker_.random = true;
  const auto task = read();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(task.error().message.find("random"), std::string::npos) << task.error().message;
}

TEST_F(PythonProblem, is_refused_when_no_kernel_takes_its_types) {
  worker_.shapes = [](const torch::Constants& c) {
    torch::Description seen = FakeWorker::rows_of_pairs(c);
    seen.inputs[0].dtype = "complex64";
    return seen;
  };
  const auto task = read();
  ASSERT_FALSE(task);
  EXPECT_NE(task.error().message.find("complex64"), std::string::npos);
}

TEST_F(PythonProblem, begins_with_the_plan_beside_it) {
  constexpr std::string_view plan =
      "/* kernelpro\nlaunch pairs<<<rows, 32>>>(x, index, factor, bias, out, cols)\n*/\n"
      "extern \"C\" __global__ void pairs(const float* x, const long long* index, float factor, "
      "const float* bias, float* out, int cols) {}\n";
  ASSERT_TRUE(write_file(folder_.path() / "7_Pairs.cu", plan));
  const auto task = read();
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_EQ(task->baseline, plan);
}

}  // namespace
}  // namespace kp::task
