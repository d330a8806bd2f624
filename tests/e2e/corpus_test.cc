// SPDX-License-Identifier: Apache-2.0
// bench/corpus is well formed: what the validation on hardware relies on.
#include <set>

#include "base/text.h"
#include "e2e/program.h"
#include "task/task.h"

namespace kp::e2e {
namespace {

const Path kCorpus = Path(KP_SOURCE_DIR) / "bench/corpus";

nlohmann::json read_json(const Path& file) {
  const auto text = read_text(file);
  EXPECT_TRUE(text) << text.error().text();
  return nlohmann::json::parse(text.value_or("null"), nullptr, false);
}

std::set<std::string> tool_names() {
  std::set<std::string> names;
  for (const auto& tool : run({"tools", "--json"}).json()) names.insert(tool["name"]);
  return names;
}

/// What is wrong with `file` as a candidate of `task`, or nothing.
std::string fault_of(const Task& task, const Path& file) {
  const auto source = read_text(file);
  if (!source) return source.error().text();
  const auto candidate = task::make_candidate(task, *source, file.string());
  return candidate ? "" : candidate.error().text();
}

std::size_t files_in(const Path& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    count += entry.is_regular_file() && entry.path().extension() == ".cu";
  }
  return count;
}

void expect_twins(const Path& corpus) {
  const auto listed = read_json(corpus / "corpus.json");
  ASSERT_FALSE(listed["kernels"].empty());
  for (const auto& entry : listed["kernels"]) {
    const Path folder = corpus / entry["name"].get<std::string>();
    if (entry["tool"].is_null()) {
      EXPECT_TRUE(task::read_task(folder / "roof.cu")) << folder;
      continue;
    }
    const auto task = task::read_task(folder / "fault.cu");
    ASSERT_TRUE(task) << task.error().text();
    EXPECT_EQ(fault_of(*task, folder / "fixed.cu"), "");
    EXPECT_FALSE(entry["why"].get<std::string>().empty() ||
                 entry["fix"].get<std::string>().empty());
  }
}

TEST(Corpus, twins_are_candidates_of_their_faults) { expect_twins(kCorpus); }

TEST(Corpus, held_out_faults_are_others_and_their_twins_give_the_same_values) {
  const Path held_out = kCorpus / "heldout";
  expect_twins(held_out);
  const auto names = tool_names();
  const auto listed = read_json(held_out / "corpus.json");
  std::set<std::string> planted;
  for (const auto& entry : listed["kernels"]) {
    const std::string name = entry["name"];
    EXPECT_FALSE(std::filesystem::exists(kCorpus / name)) << name;
    EXPECT_TRUE(names.count(entry["tool"])) << name;
    planted.insert(entry["tool"]);
    const std::string folder = (held_out / name).string();
    EXPECT_EQ(run({"check", folder + "/fault.cu", folder + "/fixed.cu"}).code, 0) << name;
  }
  EXPECT_EQ(planted.size(), listed["kernels"].size()) << "a tool twice";
}

TEST(Corpus, every_tool_has_a_planted_fault_and_no_other_name_is_used) {
  std::set<std::string> planted;
  std::size_t faults = 0, roofs = 0;
  const auto listed = read_json(kCorpus / "corpus.json");
  for (const auto& entry : listed["kernels"]) {
    if (entry["tool"].is_null()) {
      ++roofs;
    } else {
      ++faults;
      planted.insert(entry["tool"]);
    }
  }
  EXPECT_EQ(planted, tool_names());
  EXPECT_GE(faults, 30u);
  EXPECT_GE(roofs, 4u);
}

TEST(Corpus, interventions_are_candidates_of_shipped_tasks) {
  const auto names = tool_names();
  const Path folder = kCorpus / "interventions";
  const auto listed = read_json(folder / "interventions.json");
  EXPECT_GE(listed.size(), 10u);
  for (const auto& [name, fixes] : listed.items()) {
    const auto task = task::read_task(shipped(name));
    ASSERT_TRUE(task) << task.error().text();
    EXPECT_GE(fixes.size(), 3u) << name;
    EXPECT_EQ(files_in(folder / name), fixes.size()) << name;
    for (const auto& [fix, tool] : fixes.items()) {
      EXPECT_EQ(fault_of(*task, folder / name / (fix + ".cu")), "");
      EXPECT_TRUE(names.count(tool)) << name << " " << fix << ": " << tool;
    }
  }
}

TEST(Corpus, hostile_candidates_that_are_good_have_plans_without_faults) {
  const auto task = task::read_task(kCorpus / "hostile/task.cu");
  ASSERT_TRUE(task) << task.error().text();
  EXPECT_GE(files_in(kCorpus / "hostile/bad"), 20u);
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus / "hostile/good")) {
    EXPECT_EQ(fault_of(*task, entry.path()), "");
  }
}

TEST(Corpus, fault_is_named_and_its_twin_is_faster) {
  const std::string folder = (kCorpus / "bank_columns").string();
  const auto fault = run({"eval", folder + "/fault.cu", "--quick", "--json"}).json();
  ASSERT_FALSE(fault["diagnosis"].is_null());
  EXPECT_NE(fault["diagnosis"].dump().find("bank_conflict"), std::string::npos);
  const auto fixed = run({"eval", folder + "/fault.cu", folder + "/fixed.cu", "--quick", "--json"});
  EXPECT_GT(fixed.json()["speedup"].get<double>(), 1.2);
}

}  // namespace
}  // namespace kp::e2e
