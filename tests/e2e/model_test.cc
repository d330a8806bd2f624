// SPDX-License-Identifier: Apache-2.0
// A model drives the loop on the virtual GPU; a script stands for it.
#include "base/sqlite.h"
#include "e2e/program.h"

namespace kp::e2e {
namespace {

constexpr const char* kWrong = R"(A first try.

idea: pads the tile so that columns lie in different banks
follows: pad-shared
```diff
--- a/candidate.cu
+++ b/candidate.cu
@@ -12,1 +12,1 @@
-  __shared__ float tile[TILE][TILE];
+  __shared__ float tile[TILE][TILE + 1];
@@ -27,1 +27,1 @@
-      y[(row + i) * rows + col] = tile[threadIdx.x][threadIdx.y + i];
+      y[(row + i) * rows + col] = 1.5f * tile[threadIdx.x][threadIdx.y + i];
```
)";

/// A candidate without a plan: that of the version above it still fits.
std::string padded(const std::string& element) {
  return R"(idea: reads the tile by columns again, with the padding kept
```cuda
#define TILE 32
extern "C" __global__ void transpose(const float* x, float* y, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];
  int col = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  for (int i = 0; i < TILE; i += 8) {
    if (row + i < rows && col < cols) tile[threadIdx.y + i][threadIdx.x] = x[(row + i) * cols + col];
  }
  __syncthreads();
  col = blockIdx.y * TILE + threadIdx.x;
  row = blockIdx.x * TILE + threadIdx.y;
  for (int i = 0; i < TILE; i += 8) {
    if (row + i < cols && col < rows) y[(row + i) * rows + col] = )" +
         element + ";\n  }\n}\n```\n";
}

class Model : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string script(const std::vector<std::string>& texts) const {
    nlohmann::json replies = nlohmann::json::array();
    for (const std::string& text : texts) {
      replies.push_back({{"text", text}, {"usage", {{"input", 9000}, {"output", 1000}}}});
    }
    EXPECT_TRUE(write_file(at("script.json"), replies.dump()));
    return "scripted-chat:" + at("script.json");
  }
  Outcome optimize(const std::string& proposer, std::vector<std::string> more) const {
    std::vector<std::string> arguments{"optimize",   shipped("transpose"),
                                       "--device",   "vgpu:h200",
                                       "--proposer", proposer,
                                       "--out",      at("run"),
                                       "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  nlohmann::json nodes() const { return run({"show", at("run"), "--json"}).json().at("nodes"); }

  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST_F(Model, goes_through_a_wrong_answer_a_failed_build_and_a_repair_to_a_win) {
  // Two replies without a candidate are one ask that brought nothing; the search goes on.
  const auto outcome =
      optimize(script({kWrong, "I would pad the tile.", "I would still pad the tile.",
                       padded("tile[threadIdx.x][threadIdx.y + i"),
                       padded("tile[threadIdx.x][threadIdx.y + i]")}),
               {"--budget", "4", "--search", "best-of-n"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto result = outcome.json();
  EXPECT_GT(result.at("speedup").get<double>(), 1.2) << outcome.errors;
  EXPECT_EQ(result.at("best_node"), 3);
  const auto tree = nodes();
  ASSERT_EQ(tree.size(), 4u);
  EXPECT_EQ(tree[1].at("outcome"), "wrong answer") << tree;
  EXPECT_EQ(tree[2].at("outcome"), "build failed") << tree;
  EXPECT_EQ(tree[3].at("outcome"), "measured") << tree;
  EXPECT_EQ(tree[2].at("parent"), 1) << tree;
  EXPECT_EQ(tree[3].at("parent"), 2) << tree;
}

TEST_F(Model, goes_on_in_its_script_and_its_budget_when_the_run_is_resumed) {
  const std::string element = "f * tile[threadIdx.x][threadIdx.y + i]";
  const auto proposer =
      script({padded("2.0" + element), padded("3.0" + element), padded("4.0" + element)});
  const auto first = optimize(proposer, {"--budget", "2", "--max-tokens", "25000"});
  ASSERT_EQ(first.code, 0) << first.errors;
  const auto outcome = run({"resume", at("run"), "--budget", "9", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto result = outcome.json();
  EXPECT_EQ(result.at("stopped_because"), "spending") << result;
  const auto why = result.at("stopped_because_text").get<std::string>();
  EXPECT_NE(why.find("30 k tokens"), std::string::npos) << why;
  EXPECT_EQ(nodes().size(), 4u) << "the baseline and each reply once";
}

TEST_F(Model, at_a_server_that_only_the_run_folder_names_gets_no_key) {
  ASSERT_EQ(optimize("rewriter", {"--budget", "1"}).code, 0);
  {
    auto database = Sqlite::open(at("run") + "/run.db", Sqlite::Access::kWrite);
    ASSERT_TRUE(database);
    ASSERT_TRUE(
        database->execute("UPDATE meta SET value = 'openai:m@https://gateway.example/v1' "
                          "WHERE key = 'proposer'"));
  }
  const auto outcome = run({"resume", at("run"), "--budget", "2"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.errors.find("https://gateway.example/v1"), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("--proposer"), std::string::npos) << outcome.errors;
  EXPECT_EQ(run({"resume", at("run"), "--budget", "2", "--proposer", "rewriter"}).code, 0);
}

TEST_F(Model, cannot_be_told_rules_that_no_run_has) {
  const auto outcome = optimize("rewriter", {"--arm", "ncu"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.errors.find("Nsight Compute"), std::string::npos) << outcome.errors;
  EXPECT_FALSE(std::filesystem::exists(at("run")));
}

TEST_F(Model, that_cannot_be_reached_is_named_before_anything_is_judged) {
  const auto outcome = optimize("oracle:big", {});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.errors.find("anthropic"), std::string::npos) << outcome.errors;
}

TEST_F(Model, may_be_any_command) {
  ASSERT_TRUE(write_file(at("reply.txt"), padded("tile[threadIdx.x][threadIdx.y + i]")));
  const auto outcome =
      optimize("command:cat > '" + at("prompt.txt") + "'; cat '" + at("reply.txt") + "'",
               {"--budget", "2", "--arm", "none"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_GT(outcome.json().at("speedup").get<double>(), 1.2);
  const auto prompt = *read_text(at("prompt.txt"));
  EXPECT_NE(prompt.find("# The task: transpose"), std::string::npos);
  EXPECT_EQ(prompt.find("# Diagnosis"), std::string::npos);
}

}  // namespace
}  // namespace kp::e2e
