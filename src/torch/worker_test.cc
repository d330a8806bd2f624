// SPDX-License-Identifier: Apache-2.0
#include "torch/worker.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/child.h"
#include "torch/python.h"

namespace kp::torch {
namespace {

const Path kProblems = Path(KP_SOURCE_DIR) / "tests" / "kernelbench";

/// With the PyTorch of this machine; the tests are skipped where there is none. All share one
/// process, which takes seconds to start.
class LiveWorker : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto started = Worker::start({});
    if (started) worker_ = *std::move(started);
    if (!started) error_ = started.error();
  }
  static void TearDownTestSuite() { worker_.reset(); }
  void SetUp() override {
    if (error_ && error_->code == ErrorCode::kUnavailable) GTEST_SKIP() << "skipped: no PyTorch";
    ASSERT_FALSE(error_.has_value()) << error_->text();
  }
  int load(const std::string& name) {
    const auto problem = worker_->load(kProblems / (name + ".py"));
    EXPECT_TRUE(problem.has_value()) << problem.error().text();
    return problem ? problem->number : 0;
  }
  Result<Problem> load_text(const std::string& text) {
    EXPECT_TRUE(write_file(folder_.path() / "task.py", text).has_value());
    return worker_->load(folder_.path() / "task.py");
  }
  static inline std::unique_ptr<Worker> worker_;
  static inline std::optional<Error> error_;
  TemporaryFolder folder_ = *TemporaryFolder::make();
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

TEST_F(LiveWorker, DrawsTheProblemsOwnValuesAndComputesWithThem) {
  const int problem = load("17_GruState");
  const Constants constants{{"hidden_size", 3}};
  const auto drawn = worker_->draw({problem, constants, 7});
  ASSERT_TRUE(drawn.has_value()) << drawn.error().text();
  EXPECT_EQ(drawn->at("h0").size(), 2u * 3 * 3);
  EXPECT_EQ(drawn->count("gru_weight_ih_l0"), 1u);
  EXPECT_NE(*drawn, *worker_->draw({problem, constants, 8}));
  const Computation computation{problem, constants, *drawn};
  const auto outputs = worker_->compute(computation);
  ASSERT_TRUE(outputs.has_value()) << outputs.error().text();
  EXPECT_EQ(outputs->at("out0").size(), 5u * 3 * 3);
  EXPECT_EQ(*outputs, *worker_->compute(computation));
}

TEST_F(LiveWorker, GivesIntegersAsNumbers) {
  const auto outputs = worker_->compute({.problem = load("14_Argmax"),
                                         .constants = {{"batch_size", 1}, {"dim1", 3}, {"dim2", 2}},
                                         .inputs = {{"x", {0, 5, 2, 1, 1, 3}}}});
  ASSERT_TRUE(outputs.has_value()) << outputs.error().text();
  EXPECT_EQ(outputs->at("out"), (std::vector<double>{1, 0}));
}

TEST_F(LiveWorker, TellsWhatIsWrongWithAFile) {
  const auto none = load_text("x = 1\n");
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code, ErrorCode::kUnsupported);
  const auto broken = load_text("import torch\nraise ValueError('of the file')\n");
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(broken.error().message.find("ValueError: of the file (task.py:2)"), std::string::npos)
      << broken.error().text();
  EXPECT_EQ(worker_->load(kProblems / "no_such_file.py").error().code, ErrorCode::kNotFound);
}

TEST_F(LiveWorker, SurvivesAProblemThatWantsMoreMemoryThanThereIs) {
  const int large = load("1_Softsign");
  const Constants constants{{"batch_size", 1 << 20}, {"dim", 1 << 20}};
  const auto probed = worker_->probe({large, constants, true});
  ASSERT_FALSE(probed.has_value());
  EXPECT_EQ(probed.error().code, ErrorCode::kLimit) << probed.error().text();
  EXPECT_TRUE(worker_->probe({large, {{"batch_size", 2}, {"dim", 2}}, true}).has_value());
}

TEST_F(LiveWorker, FindsItsProblemsAgainAfterACrash) {
  const int good = load("2_Matmul");
  const auto deadly = load_text(
      "import os, torch\n"
      "def run(x):\n    os.abort()\n"
      "def get_inputs():\n    return [torch.rand(2)]\n");
  ASSERT_TRUE(deadly.has_value()) << deadly.error().text();
  const auto died = worker_->probe({deadly->number, {}, true});
  ASSERT_FALSE(died.has_value());
  EXPECT_EQ(died.error().code, ErrorCode::kUnavailable) << died.error().text();
  EXPECT_TRUE(worker_->probe({.problem = good}).has_value());
}

TEST_F(LiveWorker, RefusesAProblemThatWasNeverLoaded) {
  EXPECT_EQ(worker_->probe({.problem = 1000}).error().code, ErrorCode::kInvalidInput);
}

TEST_F(LiveWorker, TimesOnlyOnAGpu) {
  const auto timed = worker_->time({.problem = load("6_Scale"), .modes = {"eager"}});
  ASSERT_FALSE(timed.has_value());
  EXPECT_EQ(timed.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(timed.error().message.find("GPU"), std::string::npos);
}

TEST(PythonSide, PassesItsOwnTests) {
  const auto python = find_python("");
  if (!python) GTEST_SKIP() << "skipped: no PyTorch";
  const Path tests = Path(KP_SOURCE_DIR) / "tests" / "torch" / "run.py";
  const auto exit = run_child({.command = {*python, "-I", "-B", tests.string()}});
  ASSERT_TRUE(exit.has_value()) << exit.error().text();
  EXPECT_TRUE(exit->ok()) << exit->output << exit->error_output;
}

}  // namespace
}  // namespace kp::torch
