// SPDX-License-Identifier: Apache-2.0
#include "loop/doubts.h"

#include <gtest/gtest.h>

#include "task/task.h"

namespace kp::loop {
namespace {

class Doubts : public testing::Test {
 protected:
  Task task_ = *task::read_task(Path(KP_SOURCE_DIR) / "tasks/softmax");
  TemporaryFolder cache_ = *TemporaryFolder::make();

  std::vector<Label> doubts() const {
    auto found = doubts_about(task_, cache_.path());
    EXPECT_TRUE(found) << found.error().text();
    return found ? *std::move(found) : std::vector<Label>();
  }
  /// The same task as a Python problem of this name.
  void call(const std::string& file) { task_.path = Path("KernelBench") / file; }
};

TEST_F(Doubts, ThereAreNoneAboutATaskThatNobodyListsOrScreened) { EXPECT_TRUE(doubts().empty()); }

TEST_F(Doubts, ATaskOnTheListIsLabelled) {
  call("level2/80_Gemm_Max_Subtract_GELU.py");
  ASSERT_EQ(doubts().size(), 1u);
  EXPECT_EQ(doubts()[0].name, "benchmark-degenerate");
  EXPECT_EQ(doubts()[0].text.find("quarantined, level2/80_Gemm_Max_Subtract_GELU: constant"), 0u)
      << doubts()[0].text;
}

TEST_F(Doubts, AlgebraHasALabelOfItsOwn) {
  call("level2/44_ConvTranspose2d_Multiply_GlobalAvgPool_GlobalAvgPool_Mean.py");
  ASSERT_EQ(doubts().size(), 2u);
  EXPECT_EQ(doubts()[0].name, "benchmark-degenerate");
  EXPECT_EQ(doubts()[0].text.find("listed, "), 0u);
  EXPECT_EQ(doubts()[1].name, "algebraic");
  call("level1/13_Matmul_for_symmetric_matrices.py");
  EXPECT_TRUE(doubts().empty()) << "structure of the inputs is no doubt";
}

TEST_F(Doubts, TheLastScreeningIsKeptForTheTaskAsItIs) {
  const harness::Screening bad{.task = "softmax", .unsteady = "it draws random numbers"};
  ASSERT_TRUE(remember_screening(bad, task_, cache_.path()));
  ASSERT_EQ(doubts().size(), 1u);
  EXPECT_EQ(doubts()[0].name, "benchmark-degenerate");
  EXPECT_EQ(doubts()[0].text, "screened: it draws random numbers");
  Task other = task_;
  other.workloads.pop_back();
  EXPECT_TRUE(doubts_about(other, cache_.path())->empty()) << "another task";
  task_.baseline = "another place to begin";
  EXPECT_EQ(doubts().size(), 1u);
  const harness::Screening timed{.task = "softmax", .timed = true, .unsteady = "large"};
  ASSERT_TRUE(remember_screening(timed, task_, cache_.path()));
  ASSERT_TRUE(remember_screening({.task = "softmax"}, task_, cache_.path()));
  ASSERT_EQ(doubts().size(), 1u) << "the small workloads are sound";
  EXPECT_EQ(doubts()[0].text, "screened: large");
}

TEST_F(Doubts, ARecordThatCannotBeReadSaysNothing) {
  ASSERT_TRUE(remember_screening({.task = "softmax", .unsteady = "bad"}, task_, cache_.path()));
  for (const auto& file : std::filesystem::directory_iterator(cache_.path() / "screen"))
    ASSERT_TRUE(write_file(file.path(), "{\"degenerate\": 3"));
  EXPECT_TRUE(doubts().empty());
}

}  // namespace
}  // namespace kp::loop
