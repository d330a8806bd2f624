// SPDX-License-Identifier: Apache-2.0
#include "suite/yardsticks.h"

#include <gtest/gtest.h>

#include "task/problem_fixture.h"

namespace kp::suite {
namespace {

/// Takes as many nanoseconds as the problem has rows, half of them with `compile`; no graphs.
class TimingWorker final : public task::FakeWorker {
 public:
  Result<torch::Timed> time(const torch::Timing& timing) override {
    if (timing.constants.at("rows") < 0) return fail(ErrorCode::kLimit, "out of memory");
    const bool strict = timing.precision == "f32";
    const double rows = static_cast<double>(timing.constants.at("rows")) * (strict ? 3 : 1);
    torch::Timed taken{{{"eager", {rows, rows, 9 * rows}}, {"compile", {rows / 2}}},
                       {{"graph", "cannot be captured"}}};
    for (const std::string& mode : timing.modes)
      if (mode.find(':') != std::string::npos) taken.nanoseconds[mode] = {rows / 4};
    return taken;
  }
};

Task task_of(std::vector<std::int64_t> rows) {
  Task task;
  task.oracle.kind = Oracle::Kind::kTorch;
  task.path = "problem.py";
  for (const std::int64_t one : rows) {
    Workload workload;
    workload.constants = {{"rows", one}};
    task.workloads.push_back(workload);
  }
  return task;
}

TEST(Yardsticks, AreGeometricMeansOfMediansOverTheTimedWorkloads) {
  TimingWorker worker;
  const TimedByTorch timed = time_by_torch(worker, task_of({100, 400}));
  ASSERT_EQ(timed.yardsticks.size(), 2u);
  EXPECT_EQ(timed.yardsticks[0].name, "eager");
  EXPECT_DOUBLE_EQ(timed.yardsticks[0].nanoseconds, 200);
  EXPECT_EQ(timed.yardsticks[1].name, "compile");
  EXPECT_DOUBLE_EQ(timed.yardsticks[1].nanoseconds, 100);
  EXPECT_EQ(timed.yardsticks[0].grade, Grade::kMeasured);
}

TEST(Yardsticks, FunctionsOfTheUsersAreTimedBesidePyTorchAndNamedWithoutFolders) {
  TimingWorker worker;
  const auto timed = time_by_torch(worker, task_of({100}), {"/rivals/fused.py:gelu"});
  ASSERT_EQ(timed.yardsticks.size(), 3u);
  EXPECT_EQ(timed.yardsticks[2].name, "fused.py:gelu");
  EXPECT_DOUBLE_EQ(timed.yardsticks[2].nanoseconds, 25);
}

TEST(Yardsticks, LeaveOutTheSizesOfVirtualGpus) {
  TimingWorker worker;
  Task task = task_of({400, 100});
  task.workloads[1].place = WorkloadPlace::kVirtual;
  EXPECT_DOUBLE_EQ(time_by_torch(worker, task).yardsticks.at(0).nanoseconds, 400);
}

TEST(Yardsticks, AreTakenInTheClassOfTheTaskTooWherePyTorchIsCoarser) {
  TimingWorker worker;
  Task task = task_of({100});
  task.reference = "self.conv = nn.Conv2d(3, 4, 3)";
  const TimedByTorch timed = time_by_torch(worker, task);
  ASSERT_EQ(timed.yardsticks.size(), 4u);
  EXPECT_EQ(timed.yardsticks[0].precision, "tf32");
  EXPECT_EQ(timed.yardsticks[2].name, "eager in f32");
  EXPECT_EQ(timed.yardsticks[2].precision, "f32");
  EXPECT_DOUBLE_EQ(timed.yardsticks[2].nanoseconds, 300);
}

TEST(Yardsticks, AModeThatDoesNotWorkIsARemarkAndNoTime) {
  TimingWorker worker;
  const TimedByTorch timed = time_by_torch(worker, task_of({100}));
  ASSERT_EQ(timed.remarks.size(), 1u);
  EXPECT_EQ(timed.remarks[0], "PyTorch, graph: cannot be captured");
}

TEST(Yardsticks, WhatFailsHalfwayLeavesNoTimes) {
  TimingWorker worker;
  const TimedByTorch timed = time_by_torch(worker, task_of({100, -1}));
  EXPECT_TRUE(timed.yardsticks.empty());
  EXPECT_EQ(timed.remarks.back(), "PyTorch was not timed: out of memory");
}

TEST(Yardsticks, AreOnlyTakenWhereTheyCanBeComparedWithCandidates) {
  device::Description gpu, model;
  gpu.timing = Grade::kMeasured;
  model.timing = Grade::kModelled;
  Task other;
  EXPECT_TRUE(torch_can_time(task_of({1}), gpu));
  EXPECT_FALSE(torch_can_time(task_of({1}), model));
  EXPECT_FALSE(torch_can_time(other, gpu));
}

TEST(Yardsticks, ConvolutionsOfPyTorchAreOfAnotherPrecisionThanF32) {
  Task task = task_of({1});
  task.reference = "self.fc = nn.Linear(3, 4)";
  EXPECT_EQ(torch_precision(task), "f32");
  task.reference = "self.conv = nn.Conv2d(3, 4, 3)";
  EXPECT_EQ(torch_precision(task), "tf32");
  task.declaration.precision = Precision::kF16;
  EXPECT_EQ(torch_precision(task), "f16");
}

}  // namespace
}  // namespace kp::suite
