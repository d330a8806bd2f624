// SPDX-License-Identifier: Apache-2.0
// Every tool through the server, on the virtual GPU.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "loop/doubts.h"
#include "mcp/catalog.h"
#include "mcp/dialogue.h"
#include "mcp/schema.h"
#include "task/task.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

const Path kData = Path(KP_SOURCE_DIR) / "src/mcp/testdata";

// One thread a value, neighbours side by side.
constexpr const char* kGood = R"(/* kernelpro
launch twice<<<ceil_div(rows * cols, 256), 256>>>(x, y, rows * cols)
*/
extern "C" __global__ void twice(const float* x, float* y, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = 2 * x[i];
}
)";

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

bool finds(const json& findings, const std::string& tool) {
  return std::any_of(findings.begin(), findings.end(),
                     [&tool](const json& finding) { return finding["tool"] == tool; });
}

class ToolsTest : public ::testing::Test {
 protected:
  ToolsTest() {
    for (const char* file : {"twice.cu", "twice.reference.cc"}) {
      std::filesystem::copy(kData / file, root_ / file);
    }
    std::filesystem::create_directories(root_ / "code");
    EXPECT_TRUE(write_file(root_ / "code" / "copy.h", "// Tiled copies.\nvoid tiled_copy();\n"));
    client_.emplace(make_tools({"vgpu", {root_ / "code"}, "0.0.0"}), std::vector<Path>{root_});
    client_->send(request("l", "tools/list", json::object()));
    const json listed = client_->next();
    for (const json& tool : listed["result"]["tools"]) {
      outputs_[tool["name"]] = tool["outputSchema"];
    }
  }

  /// The whole result; progress on the way is kept.
  json result_of(const char* tool, json arguments) {
    client_->call(++calls_, tool, std::move(arguments), {{"progressToken", calls_}});
    while (true) {
      json message = client_->next();
      if (message.is_null() || message.contains("id")) return message["result"];
      progress_.push_back(message["params"]["message"]);
    }
  }
  /// What a call answers, which must fit what tools/list promised.
  json answer_of(const char* tool, json arguments) {
    const json result = result_of(tool, std::move(arguments));
    EXPECT_EQ(result["isError"], false) << result["content"];
    const auto fits = check_schema(result["structuredContent"], outputs_.at(tool));
    EXPECT_TRUE(fits) << tool << ": " << fits.error().message << "\n"
                      << result["structuredContent"].dump(2);
    return result["structuredContent"];
  }
  std::string error_of(const char* tool, json arguments) {
    const json result = result_of(tool, std::move(arguments));
    EXPECT_EQ(result["isError"], true) << tool;
    return result["content"][0]["text"];
  }
  json start() { return answer_of("optimize_start", {{"task", "twice.cu"}}); }
  json submit(int node, const std::string& source, json more = json::object()) {
    more["run"] = "runs/twice";
    more["node"] = node;
    more["source"] = source;
    return answer_of("submit_candidate", more);
  }

  TemporaryFolder place_ = *TemporaryFolder::make();
  Path root_ = std::filesystem::canonical(place_.path());
  std::optional<Dialogue> client_;
  std::map<std::string, json> outputs_;
  std::vector<std::string> progress_;
  int calls_ = 0;
};

TEST_F(ToolsTest, ARunGoesFromStartOverFailuresToAWin) {
  const json begun = start();
  EXPECT_EQ(begun["run"], (root_ / "runs/twice").string());
  EXPECT_EQ(begun["baseline"]["evidence"], "modelled");
  EXPECT_TRUE(finds(begun["baseline"]["findings"], "memory_coalescing"));
  EXPECT_FALSE(progress_.empty());

  const json asked = answer_of("ask", {{"run", "runs/twice"}});
  ASSERT_EQ(asked["asks"].size(), 1u);
  EXPECT_NE(asked["asks"][0]["prompt"].get<std::string>().find("twice"), std::string::npos);

  const json broken = submit(0, with(kGood, "y[i] = 2", "y[i] == 2 *"))["verdict"];
  EXPECT_EQ(broken["outcome"], "build failed");
  EXPECT_NE(broken["fault"]["log"].get<std::string>().find("error"), std::string::npos);

  const json wrong = submit(0, with(kGood, "2 * x[i]", "3 * x[i]"))["verdict"];
  EXPECT_EQ(wrong["outcome"], "wrong answer");
  EXPECT_TRUE(wrong["fault"].contains("expected"));

  const json good = submit(wrong["node"], kGood, {{"idea", "side by side"}});
  EXPECT_EQ(good["verdict"]["outcome"], "measured");
  EXPECT_GT(good["verdict"]["speedup"]["value"], 1.5);
  EXPECT_EQ(good["best"]["node"], good["verdict"]["node"]);
  EXPECT_EQ(good["evaluations"], 4);

  const json again = submit(0, kGood);
  EXPECT_EQ(again["known"], true);
  EXPECT_EQ(again["verdict"]["node"], good["verdict"]["node"]);

  const json tree = answer_of("show_tree", {{"run", "runs/twice"}});
  EXPECT_EQ(tree["nodes"].size(), 4u);
  EXPECT_EQ(tree["best"], good["verdict"]["node"]);
}

TEST_F(ToolsTest, TheBestIsExplainedAndJudgedInFull) {
  const json advice = start()["baseline"]["findings"][0]["prescriptions"][0]["action"];
  submit(0, kGood, {{"idea", "side by side"}, {"follows", advice}});
  const json explained = answer_of("explain", {{"run", "runs/twice"}});
  EXPECT_EQ(explained["idea"], "side by side");
  EXPECT_EQ(explained["source"], kGood);
  EXPECT_EQ(explained["promise"]["action"], advice);

  EXPECT_EQ(answer_of("best", {{"run", "runs/twice"}})["final"], false);
  const json best = answer_of("best", {{"run", "runs/twice"}, {"final", true}});
  EXPECT_EQ(best["final"], true);
  EXPECT_GT(best["verdict"]["speedup"]["value"], 1.5);
  EXPECT_EQ(*read_text(best["file"].get<std::string>()), best["source"]);
}

TEST_F(ToolsTest, ACandidateMayBeADiffAFileOrLackItsPlan) {
  start();
  const std::string diff =
      "--- a/twice.cu\n+++ b/twice.cu\n@@ -8 +8 @@\n"
      "-launch twice<<<ceil_div(rows, 64), 64>>>(x, y, rows, cols)\n"
      "+launch twice<<<ceil_div(rows, 32), 32>>>(x, y, rows, cols)\n";
  EXPECT_EQ(submit(0, diff)["verdict"]["outcome"], "measured");
  const std::string kernel = R"(extern "C" __global__
void twice(const float* x, float* y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows)
    for (int c = cols - 1; c >= 0; --c) y[(size_t)row * cols + c] = 2 * x[(size_t)row * cols + c];
})";
  EXPECT_EQ(submit(0, kernel)["verdict"]["outcome"], "measured");
  ASSERT_TRUE(write_file(root_ / "good.cu", kGood));
  const json good =
      answer_of("submit_candidate", {{"run", "runs/twice"}, {"node", 0}, {"file", "good.cu"}});
  EXPECT_EQ(good["verdict"]["outcome"], "measured");
}

TEST_F(ToolsTest, APlanThatCannotBeReadCostsNothing) {
  start();
  const json call{{"run", "runs/twice"}, {"node", 0}, {"source", with(kGood, "256>>>", "2048>>>")}};
  const std::string error = error_of("submit_candidate", call);
  EXPECT_NE(error.find("2048"), std::string::npos) << error;
  EXPECT_NE(error.find("candidate.cu:2"), std::string::npos) << error;
  EXPECT_EQ(answer_of("show_tree", {{"run", "runs/twice"}})["nodes"].size(), 1u);
}

TEST_F(ToolsTest, MistakesAreExplained) {
  start();
  EXPECT_NE(error_of("submit_candidate", {{"run", "runs/twice"}, {"node", 7}, {"source", kGood}})
                .find("no node 7"),
            std::string::npos);
  EXPECT_NE(error_of("submit_candidate", {{"run", "runs/twice"}, {"node", 0}}).find("`file`"),
            std::string::npos);
  EXPECT_NE(error_of("submit_candidate",
                     {{"run", "runs/twice"}, {"node", 0}, {"source", kGood}, {"follows", "luck"}})
                .find("prescribes `luck`"),
            std::string::npos);
  EXPECT_NE(error_of("explain", {{"run", "runs/twice"}, {"node", 9}}).find("no node 9"),
            std::string::npos);
  EXPECT_NE(error_of("diagnose", json::object()).find("either"), std::string::npos);
  EXPECT_NE(error_of("optimize_start", {{"task", "twice.cu"}, {"device", "abacus"}}).find("abacus"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(root_ / "runs/twice-2"));
}

TEST_F(ToolsTest, NoPathLeadsOutOfTheRoots) {
  const char* out = "../outside";
  for (const auto& [tool, arguments] : std::initializer_list<std::pair<const char*, json>>{
           {"optimize_start", {{"task", out}}},
           {"optimize_start", {{"task", "twice.cu"}, {"run", out}}},
           {"ask", {{"run", out}}},
           {"submit_candidate", {{"run", out}, {"node", 0}, {"source", ""}}},
           {"best", {{"run", out}}},
           {"show_tree", {{"run", out}}},
           {"explain", {{"run", out}}},
           {"diagnose", {{"task", out}}},
           {"diagnose", {{"task", "twice.cu"}, {"candidate", out}}},
           {"diagnose", {{"recording", out}}}}) {
    EXPECT_NE(error_of(tool, arguments).find("outside of the folders"), std::string::npos) << tool;
  }
  EXPECT_FALSE(result_of("read_code", {{"path", "../twice.cu"}, {"first", 1}, {"last", 2}})
                   .contains("structuredContent"));
}

TEST_F(ToolsTest, DiagnosesTasksCandidatesAndRecordings) {
  const json task = answer_of("diagnose", {{"task", "twice.cu"}})["diagnosis"];
  EXPECT_TRUE(finds(task["kernels"][0]["findings"], "memory_coalescing"));
  ASSERT_TRUE(write_file(root_ / "wrong.cu", with(kGood, "2 * x[i]", "3 * x[i]")));
  const json bad = answer_of("diagnose", {{"task", "twice.cu"}, {"candidate", "wrong.cu"}});
  EXPECT_EQ(bad["bad"]["outcome"], "wrong answer");
  std::filesystem::copy(Path(KP_SOURCE_DIR) / "src/profile/testdata/ncu/details.csv",
                        root_ / "profile.csv");
  const json recorded = answer_of("diagnose", {{"recording", "profile.csv"}})["diagnosis"];
  EXPECT_EQ(recorded["source"], "ncu");
  EXPECT_FALSE(recorded["kernels"].empty());
}

/// Where screenings are remembered.
class OwnCache {
 public:
  OwnCache() { EXPECT_EQ(::setenv("KERNELPRO_CACHE", folder_.path().c_str(), 1), 0); }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;
  ~OwnCache() { ::unsetenv("KERNELPRO_CACHE"); }

 private:
  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST_F(ToolsTest, WhatIsKnownAgainstATaskIsSaidFromTheStart) {
  const OwnCache cache;
  const auto task = task::read_task(root_ / "twice.cu");
  ASSERT_TRUE(task) << task.error().text();
  ASSERT_TRUE(
      loop::remember_screening({.unsteady = "it draws random numbers"}, *task, cache_folder()));
  const json doubts{
      {{"name", "benchmark-degenerate"}, {"text", "screened: it draws random numbers"}}};
  EXPECT_EQ(start()["doubts"], doubts);
  const json wrong = submit(0, with(kGood, "2 * x[i]", "3 * x[i]"));
  EXPECT_EQ(wrong["verdict"]["outcome"], "wrong answer");
  EXPECT_EQ(wrong["doubts"], doubts) << "whatever came of the candidate";

  ASSERT_TRUE(loop::remember_screening({}, *task, cache_folder()));
  EXPECT_FALSE(submit(0, kGood).contains("doubts")) << "the last screening counts";
}

TEST_F(ToolsTest, ToolsAndCodeCanBeLookedUp) {
  EXPECT_GE(answer_of("list_tools", json::object())["tools"].size(), 15u);
  const json hits = answer_of("search_code", {{"query", "tiled copy"}})["hits"];
  ASSERT_EQ(hits.size(), 1u);
  const json lines = answer_of("read_code", {{"path", hits[0]["path"]}, {"first", 2}, {"last", 2}});
  EXPECT_EQ(lines["text"], "void tiled_copy();\n");
}

TEST_F(ToolsTest, ACancelledSubmissionFreesTheDeviceForTheNext) {
  start();
  const std::string endless = with(kGood, "if (i < count)", "while (count) if (i < count)");
  client_->call("endless", "submit_candidate",
                {{"run", "runs/twice"}, {"node", 0}, {"source", endless}}, {{"progressToken", 1}});
  EXPECT_EQ(client_->next()["method"], "notifications/progress");
  client_->send(notification("notifications/cancelled", {{"requestId", "endless"}}));
  const json good = submit(0, kGood);
  EXPECT_EQ(good["verdict"]["outcome"], "measured");
  // It stayed handed in, and was judged first.
  EXPECT_EQ(good["evaluations"], 3);
}

}  // namespace
}  // namespace kp::mcp
