// SPDX-License-Identifier: Apache-2.0
// `diagnose` for what profilers recorded and for tasks, on any machine.
#include <algorithm>

#include "e2e/program.h"

namespace kp::e2e {
namespace {

using nlohmann::json;

std::string recording(const std::string& name) {
  return std::string(KP_SOURCE_DIR) + "/src/profile/testdata/ncu/" + name;
}

json diagnosed(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "diagnose");
  arguments.push_back("--json");
  const Outcome outcome = run(std::move(arguments));
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  return outcome.json();
}

json kernel(const json& diagnosis, const std::string& name) {
  for (const json& one : diagnosis["kernels"]) {
    if (one["name"].get<std::string>().find(name) != std::string::npos) return one;
  }
  ADD_FAILURE() << "no kernel " << name;
  return {};
}

std::string first_tool(const json& kernel) {
  return kernel["findings"].empty() ? "" : kernel["findings"][0]["tool"].get<std::string>();
}

std::vector<std::string> keys_of(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

void check_form(const json& diagnosis) {
  using Keys = std::vector<std::string>;
  for (const json& one : diagnosis["kernels"]) {
    EXPECT_EQ(keys_of(one), (Keys{"class", "findings", "name", "time_share"}));
    for (const json& finding : one["findings"]) {
      EXPECT_EQ(keys_of(finding),
                (Keys{"evidence", "gain", "message", "prescriptions", "severity", "tool"}));
      ASSERT_EQ(finding["gain"].size(), 2u);
      EXPECT_LE(finding["gain"][0], finding["gain"][1]);
      EXPECT_FALSE(finding["message"].get<std::string>().empty());
    }
  }
}

TEST(Diagnose, a_recording_is_told_kernel_by_kernel_in_order_of_time) {
  const json diagnosis = diagnosed({recording("raw_base.csv")});
  check_form(diagnosis);
  EXPECT_EQ(diagnosis["device"], "NVIDIA H200");
  ASSERT_EQ(diagnosis["kernels"].size(), 7u);
  double before = 1, sum = 0;
  for (const json& one : diagnosis["kernels"]) {
    EXPECT_LE(one["time_share"].get<double>(), before);
    before = one["time_share"];
    sum += before;
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_EQ(first_tool(kernel(diagnosis, "conflict(")), "bank_conflict");
  EXPECT_EQ(first_tool(kernel(diagnosis, "strided(")), "memory_coalescing");
  EXPECT_EQ(first_tool(kernel(diagnosis, "spill(")), "register_spill");
  EXPECT_EQ(kernel(diagnosis, "conflict(")["findings"][0]["evidence"], "measured");
  EXPECT_EQ(kernel(diagnosis, "tiny(")["class"], "launch");
}

TEST(Diagnose, what_counters_were_missing_is_said_and_nothing_is_made_up) {
  const json diagnosis = diagnosed({recording("one_metric.txt")});
  EXPECT_TRUE(kernel(diagnosis, "matmul(")["class"].is_null());
  const auto& notes = diagnosis["notes"];
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const json& note) {
    return note.get<std::string>().starts_with("unknown: bank_conflict needs l1tex__");
  })) << notes;
}

TEST(Diagnose, a_program_can_be_compared_with_itself) {
  const auto scratch = *TemporaryFolder::make();
  const Outcome first = run({"diagnose", recording("raw_base.csv"), "--json"});
  const Path stored = scratch.path() / "before.json";
  ASSERT_TRUE(write_file(stored, first.output));
  for (const std::string& old : {stored.string(), recording("raw_auto.csv")}) {
    const json diagnosis = diagnosed({recording("raw_base.csv"), "--compare", old});
    ASSERT_EQ(diagnosis["compare"]["kernels"].size(), 7u);
    for (const json& change : diagnosis["compare"]["kernels"]) {
      EXPECT_EQ(change["kernel"], "stayed");
      EXPECT_TRUE(change["gone"].empty()) << change;
      EXPECT_TRUE(change["appeared"].empty()) << change;
    }
  }
}

TEST(Diagnose, findings_that_went_away_or_can_no_longer_be_seen_are_named) {
  const Outcome outcome =
      run({"diagnose", recording("one_metric.txt"), "--compare", recording("raw_base.csv")});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("counters are missing: memory_coalescing"), std::string::npos);
  EXPECT_NE(outcome.output.find("went away: bank_conflict"), std::string::npos);
  EXPECT_NE(outcome.output.find("`hist(const int *, int *, int)`: new"), std::string::npos);
}

TEST(Diagnose, only_the_first_kernels_are_shown_when_asked) {
  const json diagnosis = diagnosed({recording("raw_base.csv"), "--top", "2"});
  EXPECT_EQ(diagnosis["kernels"].size(), 2u);
  const Outcome text = run({"diagnose", recording("raw_base.csv"), "--top", "2"});
  EXPECT_NE(text.output.find("and 5 kernels more"), std::string::npos) << text.output;
}

TEST(Diagnose, markdown_has_a_chapter_a_kernel) {
  const Outcome outcome = run({"diagnose", recording("raw_base.csv"), "--markdown"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(outcome.output.starts_with("# Diagnosis\n")) << outcome.output;
  EXPECT_NE(outcome.output.find("\n## `conflict(float *, int)`\n"), std::string::npos);
}

TEST(Diagnose, the_profilers_own_rules_are_told_only_when_asked_for) {
  const json silent = diagnosed({recording("details.csv")});
  EXPECT_FALSE(silent.contains("rules"));
  const json asked = diagnosed({recording("details.csv"), "--rules"});
  EXPECT_TRUE(std::any_of(asked["rules"].begin(), asked["rules"].end(), [](const json& rule) {
    return rule["rule"] == "SharedMemoryConflicts" && rule["speedup_type"] == "global";
  }));
}

TEST(Diagnose, a_report_is_read_through_the_ncu_in_the_path) {
  const auto scratch = *TemporaryFolder::make();
  const Path ncu = scratch.path() / "ncu", report = scratch.path() / "report";
  ASSERT_TRUE(write_file(ncu, "#!/bin/sh\n[ $5 = raw ] && exec cat " + recording("raw_base.csv") +
                                  "\nexec cat " + recording("details.csv") + "\n"));
  std::filesystem::permissions(ncu, std::filesystem::perms::owner_all);
  // By its content, whatever its name.
  ASSERT_TRUE(write_file(report, std::string_view("NVR\0\2\0\0\0", 8)));
  auto spec = spec_of({"diagnose", report.string(), "--json"});
  spec.environment.push_back("PATH=" + scratch.path().string() + ":" + std::getenv("PATH"));
  const auto exit = run_child(spec);
  ASSERT_TRUE(exit) << exit.error().text();
  EXPECT_EQ(exit->code, 0) << exit->error_output;
  EXPECT_EQ(json::parse(exit->output)["kernels"].size(), 7u);
}

TEST(Diagnose, a_task_has_the_same_form) {
  const json diagnosis = diagnosed({shipped("transpose"), "--device", "vgpu"});
  check_form(diagnosis);
  EXPECT_EQ(diagnosis["kernels"][0]["time_share"], 1);
  EXPECT_EQ(diagnosis["kernels"][0]["class"], "memory");
  EXPECT_EQ(first_tool(diagnosis["kernels"][0]), "bank_conflict");
  EXPECT_EQ(diagnosis["kernels"][0]["findings"][0]["evidence"], "modelled");
}

}  // namespace
}  // namespace kp::e2e
