// SPDX-License-Identifier: Apache-2.0
#include "task/survey.h"

#include <gtest/gtest.h>

#include "task/problem_fixture.h"

namespace kp::task {
namespace {

class Survey : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"level1/25_Pairs.py", "level1/9_Pairs.py", "level2/3_Pairs.py", "level1/note.txt"}) {
      const Path file = folder_.path() / name;
      ASSERT_TRUE(make_folder(file.parent_path()));
      ASSERT_TRUE(write_file(file, "class Model: ..."));
    }
    auto list = folder_.path() / "list.toml";
    ASSERT_TRUE(write_file(list, "version = 1\n"));
    const auto read = QuarantineList::read(list);
    ASSERT_TRUE(read) << read.error().message;
    list_ = *read;
  }
  Result<Surveyed> of(const char* name, SurveyRequest request = {}) {
    return survey(worker_, list_, folder_.path() / name, request);
  }

  TemporaryFolder folder_ = TemporaryFolder::make("survey").value();
  QuarantineList list_;
  FakeWorker worker_;
};

TEST_F(Survey, finds_the_problems_of_a_folder_in_the_order_of_their_numbers) {
  const auto files = python_problems({folder_.path()});
  ASSERT_TRUE(files);
  std::vector<std::string> names;
  for (const Path& file : *files) names.push_back(file.lexically_relative(folder_.path()).string());
  EXPECT_EQ(names, (std::vector<std::string>{"level1/9_Pairs.py", "level1/25_Pairs.py",
                                             "level2/3_Pairs.py"}));
}

TEST_F(Survey, says_what_a_usable_problem_moves_and_computes) {
  const auto found = of("level1/25_Pairs.py");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->standing, Standing::kUsable) << found->reason;
  EXPECT_EQ(found->inputs, 3);
  EXPECT_EQ(found->outputs, 1);
  EXPECT_EQ(found->flops, 8192.0 * 4096);
  EXPECT_TRUE(found->nanoseconds.empty());
}

TEST_F(Survey, says_where_a_problem_can_be_checked) {
  EXPECT_FALSE(of("level1/25_Pairs.py")->gpu_only);
  worker_.shapes = [](const torch::Constants& constants) {
    auto seen = FakeWorker::rows_of_pairs(constants);
    seen.other_flops = 1e9;
    return seen;
  };
  const auto large = of("level1/25_Pairs.py");
  ASSERT_TRUE(large);
  EXPECT_EQ(large->standing, Standing::kUsable) << large->reason;
  EXPECT_TRUE(large->gpu_only);
}

TEST_F(Survey, gives_the_reason_of_a_refusal) {
  worker_.random = true;
  const auto found = of("level1/25_Pairs.py");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->standing, Standing::kRefused);
  EXPECT_NE(found->reason.find("random"), std::string::npos) << found->reason;
}

TEST_F(Survey, takes_the_median_of_each_mode_and_keeps_why_one_has_none) {
  worker_.timed.nanoseconds["eager"] = {5, 1, 3};
  worker_.timed.failures["compile"] = "no compiler";
  const auto found = of("level1/25_Pairs.py", {.modes = {"eager", "compile"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->nanoseconds.at("eager"), 3);
  EXPECT_EQ(found->no_timings.at("compile"), "no compiler");
  EXPECT_FALSE(found->nanoseconds.contains("compile"));
}

}  // namespace
}  // namespace kp::task
