// SPDX-License-Identifier: Apache-2.0
#include "suite/claim_list.h"

#include <gtest/gtest.h>

namespace kp::suite {
namespace {

class ClaimListTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.emplace(TemporaryFolder::make().value());
    for (const char* file : {"tasks/level1/2_Scale.py", "tasks/level1/25_Swish.py",
                             "tasks/level2/2_Gemm.py", "set/25_Swish.py", "set/notes.py",
                             "set/level_2_problem_2_sample_0_kernel.py", "level1/2_other.py"})
      write(file, "# " + std::string(file));
  }
  Path at(const std::string& name) const { return folder_->path() / name; }
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(make_folder(at(name).parent_path()));
    ASSERT_TRUE(write_file(at(name), text));
  }
  ClaimList list(ClaimSources sources) const {
    auto found = list_claims(sources);
    EXPECT_TRUE(found) << found.error().text();
    return found ? *std::move(found) : ClaimList{};
  }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(ClaimListTest, finds_the_problem_by_name_and_by_level_and_number) {
  const ClaimList found =
      list({.candidates = {at("set"), at("level1")}, .tasks = at("tasks"), .claimed = {}});
  std::map<std::string, Path> tasks;
  for (const ClaimRequest& one : found.requests) tasks[one.candidate.filename()] = one.task;
  EXPECT_EQ(tasks.at("25_Swish.py"), at("tasks/level1/25_Swish.py"));
  EXPECT_EQ(tasks.at("level_2_problem_2_sample_0_kernel.py"), at("tasks/level2/2_Gemm.py"));
  EXPECT_EQ(tasks.at("2_other.py"), at("tasks/level1/2_Scale.py"));
  EXPECT_EQ(found.strangers, std::vector<Path>{at("set/notes.py")});
}

TEST_F(ClaimListTest, lets_all_candidates_answer_the_only_problem) {
  const ClaimList found =
      list({.candidates = {at("set")}, .tasks = at("tasks/level1/25_Swish.py"), .claimed = {}});
  EXPECT_EQ(found.requests.size(), 3u);
  EXPECT_TRUE(found.strangers.empty());
}

TEST_F(ClaimListTest, knows_what_was_claimed) {
  write("claimed.json", R"({"25_Swish": 3.5})");
  const ClaimList found =
      list({.candidates = {at("set")}, .tasks = at("tasks"), .claimed = at("claimed.json")});
  for (const ClaimRequest& one : found.requests)
    EXPECT_EQ(one.claimed.value_or(0), one.candidate.filename() == "25_Swish.py" ? 3.5 : 0);
}

TEST_F(ClaimListTest, refuses_claims_that_are_no_speedups) {
  for (const char* text : {"[1]", R"({"25_Swish": "fast"})", R"({"25_Swish": -1})", "{"}) {
    write("claimed.json", text);
    const auto found = list_claims(
        {.candidates = {at("set")}, .tasks = at("tasks"), .claimed = at("claimed.json")});
    EXPECT_FALSE(found) << text;
  }
}

TEST_F(ClaimListTest, keeps_claims_as_lines) {
  Claim claim{.candidate = "a.py", .task = "b.py"};
  claim.verdict = ClaimVerdict::kForged;
  ASSERT_TRUE(write_claims(at("claims.jsonl"), {claim, claim}));
  const auto read = read_claims(at("claims.jsonl"));
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(read->back().verdict, ClaimVerdict::kForged);
  EXPECT_TRUE(read_claims(at("nothing.jsonl"))->empty());
}

TEST_F(ClaimListTest, names_the_line_of_a_claim_that_cannot_be_read) {
  ASSERT_TRUE(write_claims(at("claims.jsonl"), {Claim{}}));
  write("claims.jsonl", read_text(at("claims.jsonl"), 1 << 20).value() + "{\"verdict\": 1}\n");
  const auto read = read_claims(at("claims.jsonl"));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text().find("claims.jsonl:2"), std::string::npos) << read.error().text();
}

}  // namespace
}  // namespace kp::suite
