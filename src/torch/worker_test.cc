// SPDX-License-Identifier: Apache-2.0
#include "torch/worker.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kp::torch {
namespace {

const Path kTasks = Path(KP_SOURCE_DIR) / "tests" / "kernelbench";

/// With the PyTorch of this machine; the tests are skipped where there is none.
class LiveWorker : public testing::Test {
 protected:
  void SetUp() override {
    auto started = Worker::start({});
    if (!started && started.error().code == ErrorCode::kUnavailable)
      GTEST_SKIP() << "no PyTorch: " << started.error().text();
    ASSERT_TRUE(started.has_value()) << started.error().text();
    worker_ = *std::move(started);
  }
  int load(const std::string& name) {
    const auto problem = worker_->load(kTasks / (name + ".py"));
    EXPECT_TRUE(problem.has_value()) << problem.error().text();
    return problem ? problem->number : 0;
  }
  std::unique_ptr<Worker> worker_;
};

TEST_F(LiveWorker, SaysWhatRuns) {
  const Installation& installation = worker_->installation();
  EXPECT_FALSE(installation.torch_version.empty());
  EXPECT_EQ(installation.device, "cpu");
  EXPECT_FALSE(installation.recorded);
}

TEST_F(LiveWorker, FollowsShapesOfArraysThatDoNotFit) {
  const auto description = worker_->probe({.problem = load("1_Softsign")});
  ASSERT_TRUE(description.has_value()) << description.error().text();
  ASSERT_EQ(description->inputs.size(), 1u);
  EXPECT_EQ(description->inputs[0].name, "x");
  EXPECT_EQ(description->inputs[0].shape, (std::vector<std::int64_t>{4096, 393216}));
  EXPECT_EQ(description->outputs[0].name, "out");
  EXPECT_EQ(description->other_flops, 3.0 * 4096 * 393216);
}

TEST_F(LiveWorker, ComputesInDouble) {
  const int problem = load("3_LinearRelu");
  const auto outputs = worker_->compute(
      {.problem = problem,
       .constants = {{"batch_size", 1}, {"in_features", 2}, {"out_features", 2}},
       .inputs = {{"x", {1, 1e-12}}, {"linear_weight", {1, 1, -1, 0}}, {"linear_bias", {0, 0.5}}}});
  ASSERT_TRUE(outputs.has_value()) << outputs.error().text();
  EXPECT_EQ(*outputs, (Tensors{{"out", {1 + 1e-12, 0}}}));
}

}  // namespace
}  // namespace kp::torch
