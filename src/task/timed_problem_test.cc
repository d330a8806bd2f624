// SPDX-License-Identifier: Apache-2.0
#include "task/timed_problem.h"

#include <gtest/gtest.h>

#include "task/task.h"
#include "torch/worker.h"

namespace kp::task {
namespace {

Task shipped(const std::string& name) {
  auto task = read_task(Path(KP_SOURCE_DIR) / "tasks" / name);
  EXPECT_TRUE(task) << task.error().text();
  return *std::move(task);
}

const Workload& smallest(const Task& task) { return *task.with_role(WorkloadRole::kCheck).front(); }

std::string text_of_problem(const Task& task, const Workload& workload) {
  const auto problem = timed_problem(task, workload);
  EXPECT_TRUE(problem) << problem.error().text();
  EXPECT_TRUE(problem->constants.empty());
  return *read_text(problem->file);
}

/// What PyTorch 1.13 on a CPU cannot do.
bool lacks_it(const std::string& message) {
  return message.find("needs a newer PyTorch") != std::string::npos ||
         message.find("not implemented for 'Half'") != std::string::npos;
}

TEST(TimedProblem, HasTheSizesAndDistributionsOfItsWorkload) {
  const Task swish = shipped("swish");
  Workload workload = smallest(swish);
  workload.axes["n"] = 1000;
  EXPECT_NE(text_of_problem(swish, workload).find("kp_torch.randn((1000, )).to(kp_torch.float32)"),
            std::string::npos);
  workload.distributions["x"] = {Distribution::Kind::kUniform, -1, 3};
  EXPECT_NE(text_of_problem(swish, workload).find("(-1 + 4 * kp_torch.rand((1000, )))"),
            std::string::npos);
  workload.distributions["x"] = {Distribution::Kind::kInteger, 0, 9};
  EXPECT_NE(text_of_problem(swish, workload).find("kp_torch.randint(0, 10, (1000, ))"),
            std::string::npos);
}

TEST(TimedProblem, DrawsWholeNumbersWhereNobodySaidHow) {
  Task swish = shipped("swish");
  swish.declaration.tensors.front().dtype = DType::kI32;
  const std::string text = text_of_problem(swish, smallest(swish));
  EXPECT_NE(text.find("kp_torch.randint("), std::string::npos) << text;
}

TEST(TimedProblem, IsRefusedWhereNoDistributionGivesAnInput) {
  Task swish = shipped("swish");
  swish.declaration.tensors.front().structure.form = Structure::Form::kAscending;
  const auto ordered = timed_problem(swish, smallest(swish));
  ASSERT_FALSE(ordered);
  EXPECT_EQ(ordered.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(ordered.error().message.find("`x`"), std::string::npos);
}

TEST(TimedProblem, NeedsADefinitionInPyTorch) {
  const Task smooth = shipped("smooth.cu");
  EXPECT_FALSE(has_python(smooth));
  EXPECT_FALSE(timed_problem(smooth, smallest(smooth)));
}

TEST(TimedProblem, OfEveryShippedDefinitionRunsInPyTorch) {
  const auto worker = torch::Worker::start({});
  if (!worker) GTEST_SKIP() << "skipped: " << worker.error().message;
  for (const auto& entry : std::filesystem::directory_iterator(Path(KP_SOURCE_DIR) / "tasks")) {
    if (!entry.is_directory()) continue;
    const Task task = shipped(entry.path().filename());
    ASSERT_TRUE(has_python(task)) << task.name;
    const auto problem = timed_problem(task, smallest(task));
    ASSERT_TRUE(problem) << task.name << ": " << problem.error().text();
    const auto loaded = (*worker)->load(problem->file);
    ASSERT_TRUE(loaded) << task.name << ": " << loaded.error().text();
    const auto seen = (*worker)->probe({loaded->number, problem->constants, true});
    if (!seen && lacks_it(seen.error().message)) continue;
    EXPECT_TRUE(seen) << task.name << ": " << seen.error().text();
  }
}

}  // namespace
}  // namespace kp::task
