// SPDX-License-Identifier: Apache-2.0
// The examples in docs/candidate.md and docs/task.md are what they claim to be.
#include "task/task_folder_fixture.h"

namespace kp::task {
namespace {

/// The code blocks of one language in a document, in order.
std::vector<std::string> blocks(const char* document, const std::string& language) {
  const std::string text = read_text(Path(KP_SOURCE_DIR) / "docs" / document).value();
  const std::string open = "```" + language + "\n";
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = text.find(open, at)) != std::string::npos;) {
    at += open.size();
    found.push_back(text.substr(at, text.find("```", at) - at));
  }
  return found;
}

TEST(Documents, ShowAPlanThatIsOne) {
  const auto examples = blocks("candidate.md", "cuda");
  ASSERT_EQ(examples.size(), 1u);
  const auto parsed = parse_plan(examples[0], "candidate.md");
  ASSERT_TRUE(parsed) << parsed.error().text();
  EXPECT_EQ(parsed->plan.steps.size(), 2u);
}

TEST(Documents, ShowATaskFolderThatIsOne) {
  const auto json = blocks("task.md", "json");
  ASSERT_EQ(json.size(), 2u);
  TaskFolder folder;
  folder.write("definition.json", json[0]);
  folder.write("workload.jsonl", json[1]);
  const auto task = folder.read();
  ASSERT_TRUE(task) << task.error().text();
  EXPECT_EQ(task->workloads.size(), 2u);
  EXPECT_EQ(task->workloads[0].axes.at("half"), 2048);
}

TEST(Documents, NameEveryStatement) {
  const std::string grammar = blocks("candidate.md", "ebnf").at(0);
  for (const char* word :
       {"axis", "check", "time", "input", "output", "inout", "weight", "work", "precision", "level",
        "tune", "buffer", "tensormap", "prepare", "launch", "zero", "oracle"}) {
    EXPECT_NE(grammar.find("\"" + std::string(word) + "\""), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace kp::task
