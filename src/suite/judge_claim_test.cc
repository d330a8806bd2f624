// SPDX-License-Identifier: Apache-2.0
// With the PyTorch that is there, on the CPU.
#include "suite/judge_claim.h"

#include <gtest/gtest.h>

#include "suite/guest_jail.h"

namespace kp::suite {
namespace {

constexpr std::string_view kHead = R"(
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, *arguments):
        super().__init__()

    def forward(self, x):
)";

class JudgeClaimTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto started = torch::Worker::start({});
    if (started) worker_ = *std::move(started);
  }
  static void TearDownTestSuite() { worker_.reset(); }

  void SetUp() override {
    if (!worker_) GTEST_SKIP() << "skipped: no PyTorch";
    folder_.emplace(TemporaryFolder::make().value());
  }

  torch::WorkerOptions guest() const {
    const std::string python = worker_->installation().python;
    torch::WorkerOptions options{.python = python};
    if (!guest_confinement()) return options;
    options.confine = [python](ChildSpec child) {
      return confined_guest(std::move(child), python);
    };
    return options;
  }

  /// The file's forward() for y = x / (1 + |x|), or a whole file.
  Claim judged(const std::string& text) {
    const Path file = folder_->path() / "1_Softsign.py";
    const bool whole = text.find("ModelNew") != std::string::npos || text.starts_with("#");
    EXPECT_TRUE(write_file(file, whole ? text : std::string(kHead) + text));
    ClaimJudge judge(*worker_, {.guest = guest(), .confinement = {}, .seed = 7, .rivals = {}});
    auto claim = judge.judge({file, Path(KP_SOURCE_DIR) / "tests/kernelbench/1_Softsign.py", 2});
    EXPECT_TRUE(claim) << claim.error().text();
    return claim ? *std::move(claim) : Claim{};
  }

  static std::unique_ptr<torch::Worker> worker_;
  std::optional<TemporaryFolder> folder_;
};
std::unique_ptr<torch::Worker> JudgeClaimTest::worker_;

TEST_F(JudgeClaimTest, passes_what_is_right_and_does_not_time_it_on_a_cpu) {
  const Claim claim = judged("        return x / (1 + x.abs())\n");
  EXPECT_EQ(claim.verdict, ClaimVerdict::kPasses) << claim.reason;
  EXPECT_EQ(claim.precision, Precision::kF32);
  EXPECT_TRUE(claim.published_check.value_or(false));
  EXPECT_EQ(claim.claimed, 2);
  EXPECT_FALSE(claim.nanoseconds || claim.over_eager || claim.own_share);
}

TEST_F(JudgeClaimTest, tells_a_coarser_class_from_the_one_that_was_asked_for) {
  const Claim claim = judged("        return (x / (1 + x.abs())).bfloat16().float()\n");
  EXPECT_EQ(claim.verdict, ClaimVerdict::kCoarser);
  EXPECT_EQ(claim.precision, Precision::kBf16);
  EXPECT_NE(claim.reason.find("allowed in f32"), std::string::npos) << claim.reason;
}

TEST_F(JudgeClaimTest, finds_what_is_wrong) {
  EXPECT_EQ(judged("        return torch.zeros_like(x)\n").verdict, ClaimVerdict::kWrong);
  const Claim shape = judged("        return (x / (1 + x.abs())).flatten()\n");
  EXPECT_EQ(shape.verdict, ClaimVerdict::kWrong);
  EXPECT_NE(shape.reason.find("shape"), std::string::npos) << shape.reason;
}

TEST_F(JudgeClaimTest, refuses_what_cannot_be_run) {
  const Claim raises = judged("        return x.no_such_method()\n");
  EXPECT_EQ(raises.verdict, ClaimVerdict::kRefused);
  EXPECT_NE(raises.reason.find("1_Softsign.py"), std::string::npos) << raises.reason;
  EXPECT_EQ(judged("# nothing here\n").verdict, ClaimVerdict::kRefused);
}

TEST_F(JudgeClaimTest, survives_a_candidate_that_ends_its_process) {
  const Claim claim = judged("        import os; os._exit(3)\n");
  EXPECT_EQ(claim.verdict, ClaimVerdict::kCrashed);
  EXPECT_NE(claim.reason.find("status 3"), std::string::npos) << claim.reason;
}

TEST_F(JudgeClaimTest, keeps_files_and_network_from_a_candidate) {
  if (!guest_confinement()) GTEST_SKIP() << "skipped: no sandbox here";
  const Path secret = folder_->path() / "secret";
  ASSERT_TRUE(write_file(secret, "x"));
  const Claim claim = judged("        open('" + secret.string() + "')\n");
  EXPECT_EQ(claim.verdict, ClaimVerdict::kRefused);
  EXPECT_NE(claim.reason.find("No such file"), std::string::npos) << claim.reason;
  const Claim socket =
      judged("        import socket; socket.create_connection(('127.0.0.1', 9), 1)\n");
  EXPECT_EQ(socket.verdict, ClaimVerdict::kRefused) << socket.reason;
}

}  // namespace
}  // namespace kp::suite
