// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "search/strategy.h"
#include "suite/suite.h"

namespace kp::suite {
namespace {

class ReadSuite : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* task : {"one", "two", "other/two"}) {
      write(std::string("tasks/") + task + "/definition.json", "{}");
    }
    write("tasks/three.cu", "");
    write("tasks/three.reference.cc", "");
    write("tasks/notes.txt", "");
  }
  void write(const std::string& name, const std::string& text) {
    const Path file = base_.path() / name;
    ASSERT_TRUE(make_folder(file.parent_path()));
    ASSERT_TRUE(write_file(file, text));
  }
  Result<Suite> read(const std::string& text) {
    write("suite.toml", text);
    return read_suite(base_.path() / "suite.toml");
  }
  std::string error_of(const std::string& text) {
    const auto suite = read(text);
    EXPECT_FALSE(suite) << text;
    return suite ? "" : suite.error().text();
  }
  static std::vector<std::string> names(const Suite& suite) {
    std::vector<std::string> list;
    for (const TaskEntry& task : suite.tasks) list.push_back(task.name);
    return list;
  }

  TemporaryFolder base_ = *TemporaryFolder::make();
};

TEST_F(ReadSuite, TakesPatternsFoldersAndTasks) {
  const auto suite = read("tasks = [\"tasks/t*\", \"tasks/other\", \"tasks/one\"]\n");
  ASSERT_TRUE(suite) << suite.error().text();
  EXPECT_EQ(suite->name, "suite");
  EXPECT_EQ(names(*suite), (std::vector<std::string>{"three", "tasks-two", "other-two", "one"}));
  EXPECT_EQ(suite->seeds, std::vector<std::uint64_t>{1});
  ASSERT_EQ(suite->arms.size(), 1u);
  EXPECT_EQ(suite->arms[0].name, kOnlyArm);
}

TEST_F(ReadSuite, ATaskMayBeginWithAPlanOfTheSuite) {
  write("plans/two.cu", "");
  const auto suite = read("tasks = [\"tasks\", {path = \"tasks/two\", from = \"plans/two.cu\"}]\n");
  ASSERT_TRUE(suite) << suite.error().text();
  EXPECT_EQ(names(*suite), (std::vector<std::string>{"one", "three", "two"}));
  EXPECT_EQ(suite->tasks[0].from, "");
  EXPECT_EQ(suite->tasks[2].from, base_.path() / "plans/two.cu");

  const std::string two = "{path = \"tasks/two\", from = \"plans/two.cu\"}";
  write("plans/other.cu", "");
  for (const auto& [tasks, message] : std::initializer_list<std::pair<std::string, const char*>>{
           {"[{path = \"tasks/*\", from = \"plans/two.cu\"}]", "`tasks/*` is 3 tasks"},
           {"[{path = \"tasks/two\", from = \"no.cu\"}]", "no.cu does not exist"},
           {"[{path = \"tasks/two\"}]", "has `path`, and `from` or `baselines`"},
           {"[{path = \"tasks/two\", form = \"plans/two.cu\"}]",
            "has `path`, and `from` or `baselines`"},
           {"[" + two + ", {path = \"tasks/two\", from = \"plans/other.cu\"}]",
            "begins with two plans"},
           {"[3]", "neither a text nor a table"}}) {
    const std::string error = error_of("tasks = " + tasks + "\n");
    EXPECT_NE(error.find(message), std::string::npos) << error;
    EXPECT_NE(error.find("suite.toml:1:"), std::string::npos) << error;
  }
  EXPECT_TRUE(read("tasks = [" + two + ", " + two + "]\n")) << "said twice";
}

TEST_F(ReadSuite, ATaskMayHaveBaselinesOfTheSuite) {
  write("rivals/fused.py", "");
  write("plans/two.cu", "");
  const auto suite = read(
      "tasks = [\"tasks\", {path = \"tasks/two\", from = \"plans/two.cu\", baselines = "
      "[\"rivals/fused.py:one\", \"rivals/fused.py:other\"]}]\n");
  ASSERT_TRUE(suite) << suite.error().text();
  EXPECT_TRUE(suite->tasks[0].baselines.empty());
  const std::string file = (base_.path() / "rivals/fused.py").string();
  EXPECT_EQ(suite->tasks[2].baselines, (std::vector<std::string>{file + ":one", file + ":other"}));
  EXPECT_EQ(suite->tasks[2].from, base_.path() / "plans/two.cu");
  for (const auto& [baselines, message] :
       std::initializer_list<std::pair<std::string, const char*>>{
           {"\"rivals/fused.py\"", "names no function"},
           {"\"rivals/none.py:one\"", "none.py does not exist"},
           {"[1]", "`baselines` is no list of texts"}}) {
    const std::string error =
        error_of("tasks = [{path = \"tasks/two\", baselines = " + baselines + "}]\n");
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
}

TEST_F(ReadSuite, AFolderOfTasksIsASuite) {
  const auto suite = read_suite(base_.path() / "tasks");
  ASSERT_TRUE(suite) << suite.error().text();
  EXPECT_EQ(suite->name, "tasks");
  EXPECT_EQ(names(*suite), (std::vector<std::string>{"one", "three", "two"}));
}

TEST_F(ReadSuite, ArmsChangeWhatAllRunsHaveInCommon) {
  const auto suite = read(R"(
name = "search"
tasks = "tasks/*"
seeds = [3, 5]
devices = ["vgpu"]
[run]
budget = 12
time = 2.5
feedback = "raw"
[[arm]]
name = "mcts"
search = "mcts"
[[arm]]
name = "greedy"
search = "greedy"
budget = 6
memory = "off"
[quarantine]
"t*" = "too slow"
)");
  ASSERT_TRUE(suite) << suite.error().text();
  EXPECT_EQ(suite->seeds, (std::vector<std::uint64_t>{3, 5}));
  ASSERT_EQ(suite->arms.size(), 2u);
  const loop::Settings &first = suite->arms[0].settings, &second = suite->arms[1].settings;
  EXPECT_EQ(first.stop.budget, 12);
  EXPECT_EQ(first.stop.time.count(), 2.5);
  EXPECT_EQ(first.proposer_options.arm, propose::Arm::kRaw);
  EXPECT_TRUE(first.proposer_options.memory);
  EXPECT_EQ(second.search, "greedy");
  EXPECT_EQ(second.stop.budget, 6);
  EXPECT_FALSE(second.proposer_options.memory);
  EXPECT_EQ(suite->quarantined("three"), "too slow");
  EXPECT_FALSE(suite->quarantined("one"));
}

TEST_F(ReadSuite, SettingsTextTellsArmsApart) {
  loop::Settings settings;
  const std::string usual = settings_text({"a", settings});
  EXPECT_EQ(settings_text({"b", settings}), usual);
  settings.proposer_options.arm = propose::Arm::kNone;
  EXPECT_NE(settings_text({"a", settings}), usual);
}

TEST_F(ReadSuite, ErrorsNameThePlaceAndWhatToDo) {
  EXPECT_NE(error_of("tasks = [\"tasks/*\"]\n[run]\nbudgte = 3\n").find("suite.toml:3:"),
            std::string::npos);
  EXPECT_NE(error_of("tasks = \"tasks/*\"\n[run]\nbudgte = 3\n").find("did you mean `budget`?"),
            std::string::npos);
  EXPECT_NE(error_of("tasks = \"tasks/*\"\nseed = 3\n").find("did you mean `seeds`?"),
            std::string::npos);
  EXPECT_NE(error_of("tasks = \"nowhere/*\"\n").find("there is no task at"), std::string::npos);
  EXPECT_NE(error_of("name = \"x\"\n").find("names no tasks"), std::string::npos);
  EXPECT_NE(error_of("tasks = \"tasks/*\"\n[run]\nsearch = \"dfs\"\n").find("suite.toml:"),
            std::string::npos);
  EXPECT_NE(error_of("tasks = \"tasks/*\"\n[run]\nfeedback = \"loud\"\n")
                .find("one of tools, raw, ncu, placebo, none"),
            std::string::npos);
  EXPECT_NE(error_of("tasks = \"tasks/*\"\n[run]\nbudget = 0\n").find("at least 1"),
            std::string::npos);
  EXPECT_NE(error_of("tasks = \"tasks/*\"\nseeds = [1, 1]\n").find("`seeds`"), std::string::npos);
  EXPECT_NE(error_of("tasks = \"tasks/*\"\n[[arm]]\nname = \"a\"\n[[arm]]\nname = \"a\"\n")
                .find("two arms are called `a`"),
            std::string::npos);
  EXPECT_NE(error_of("tasks = \"tasks/*\"\n[[arm]]\nname = \"../a\"\n").find("letters"),
            std::string::npos);
  EXPECT_NE(error_of("tasks = [").find("not valid TOML"), std::string::npos);
}

TEST_F(ReadSuite, ShippedSuitesAreReadable) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(Path(KP_SOURCE_DIR) / "suites")) {
    const auto suite = read_suite(entry.path());
    ASSERT_TRUE(suite) << suite.error().text();
    EXPECT_GE(suite->tasks.size(), 15u) << entry.path();
    EXPECT_FALSE(suite->about.empty()) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 5);
}

/// The arms of a shipped suite whose only difference is the value of `key`.
std::set<std::string> arms_of(const std::string& file, const std::string& key) {
  const auto suite = read_suite(Path(KP_SOURCE_DIR) / "suites" / file);
  EXPECT_TRUE(suite) << suite.error().text();
  std::set<std::string> values;
  for (const Arm& arm : suite->arms) {
    values.insert(nlohmann::json::parse(settings_text(arm)).at(key).get<std::string>());
  }
  EXPECT_EQ(values.size(), suite->arms.size()) << file;
  return values;
}

TEST_F(ReadSuite, EveryAblationHasAnArmInItsSuite) {
  std::set<std::string> feedback, invocation;
  for (const propose::Arm arm : propose::kArms) feedback.emplace(name_of(arm));
  EXPECT_EQ(arms_of("feedback-gpu.toml", "arm"), feedback);
  feedback.erase("ncu");
  EXPECT_EQ(arms_of("feedback.toml", "arm"), feedback);
  for (const auto one : propose::kInvocations) invocation.emplace(name_of(one));
  EXPECT_EQ(arms_of("invocation.toml", "invocation"), invocation);
  const auto strategies = search::strategy_names();
  EXPECT_EQ(arms_of("search.toml", "search"),
            std::set<std::string>(strategies.begin(), strategies.end()));
}

TEST(Fits, KnowsPatternsOfAShell) {
  EXPECT_TRUE(fits("matmul*", "matmul_f16"));
  EXPECT_TRUE(fits("sum", "sum"));
  EXPECT_FALSE(fits("sum", "sums"));
}

}  // namespace
}  // namespace kp::suite
