// SPDX-License-Identifier: Apache-2.0
#include "report/findings.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kp::report {
namespace {

using diagnose::KernelDiagnosis;
using diagnose::ProgramDiagnosis;

Finding conflict() {
  Finding finding;
  finding.tool = "bank_conflict";
  finding.kernel = "conflict";
  finding.severity = Severity::kWarning;
  finding.saw = "32 wavefronts for one request.";
  finding.costs = "Lanes wait for each other.";
  finding.prescriptions = {{"pad-shared", "Pad the row.", "t[32][33]"}};
  finding.gain = {1.2, 1.5};
  finding.grade = Grade::kMeasured;
  return finding;
}

/// A kernel with a finding, one at its roof, one of which nothing is known.
ProgramDiagnosis three_kernels() {
  ProgramDiagnosis program{"NVIDIA H200", "ncu", {}, {"a note"}};
  KernelDiagnosis first{"conflict(float *, int)", 3, 600e3, 0.6, true, {}};
  first.diagnosis.boundness = Boundness::kMemory;
  first.diagnosis.why = "compute reaches 18 % and memory 71 % of peak";
  first.diagnosis.findings = {conflict()};
  first.diagnosis.not_applicable = {"instruction_mix: metric x.sum is unknown",
                                    "dram_traffic: the task states no bytes",
                                    "atomic_contention: the kernel has no atomics"};
  KernelDiagnosis roof{"copy(float *)", 1, 300e3, 0.3, true, {}};
  roof.diagnosis.at_roof = true;
  Finding at_roof;
  at_roof.tool = "roof";
  at_roof.saw = "At the DRAM roof: enough.";
  roof.diagnosis.findings = {at_roof};
  KernelDiagnosis dark{"dark()", 1, 100e3, 0.1, false, {}};
  dark.diagnosis.why = "throughputs are unknown";
  dark.diagnosis.not_applicable = {
      "instruction_mix: metric x.sum is unknown", "warp_stall: metric y.ratio is unknown",
      "vector_access: metric y.ratio is unknown", "dram_traffic: the task states no bytes"};
  program.kernels = {first, roof, dark};
  return program;
}

TEST(Findings, the_text_has_one_block_a_kernel) {
  const ProgramDiagnosis program = three_kernels();
  EXPECT_EQ(
      findings_text({program}),
      "NVIDIA H200, by ncu: 3 kernels, 5 launches, 1 ms of GPU time\n"
      "\n"
      "1. conflict(float *, int)\n"
      "   60.0 % of the GPU time, 600 us in 3 launches; memory-bound: compute reaches 18 % and "
      "memory 71 % of peak\n"
      "   warning: bank_conflict: 1.20x to 1.50x possible (measured)\n"
      "     32 wavefronts for one request.\n"
      "     Lanes wait for each other.\n"
      "     1. Pad the row. [pad-shared]\n"
      "          t[32][33]\n"
      "\n"
      "2. copy(float *)\n"
      "   30.0 % of the GPU time, 300 us in 1 launch; mixed-bound: \n"
      "   At the DRAM roof: enough.\n"
      "\n"
      "3. dark()\n"
      "   10.0 % of the GPU time, 100 us in 1 launch; class unknown: throughputs are unknown\n"
      "   no tool found anything\n"
      "\n"
      "unknown: instruction_mix needs x.sum\n"
      "unknown: warp_stall, vector_access need y.ratio (dark())\n"
      "not applicable: dram_traffic: the task states no bytes\n"
      "note: a note\n");
}

TEST(Findings, only_the_first_kernels_are_shown_and_the_rest_is_summed_up) {
  const ProgramDiagnosis program = three_kernels();
  const std::string text = findings_text({.program = program, .top = 1});
  EXPECT_EQ(text.find("copy(float *)"), std::string::npos);
  EXPECT_NE(text.find("and 2 kernels more with 40.0 % of the GPU time; --top 0 shows all"),
            std::string::npos)
      << text;
  EXPECT_EQ(findings_json({.program = program, .top = 1})["kernels"].size(), 1u);
}

TEST(Findings, names_and_headlines_can_be_made_to_stand_out) {
  const ProgramDiagnosis program = three_kernels();
  FindingsView view{program};
  view.strong = [](std::string_view text) { return "<" + std::string(text) + ">"; };
  const std::string text = findings_text(view);
  EXPECT_NE(text.find("1. <conflict(float *, int)>\n"), std::string::npos);
  EXPECT_NE(text.find("   <warning: bank_conflict: 1.20x to 1.50x possible (measured)>\n"),
            std::string::npos);
}

TEST(Findings, the_json_has_exactly_the_promised_members) {
  const ProgramDiagnosis program = three_kernels();
  const auto json = findings_json({program});
  const auto promised = nlohmann::json::parse(R"json({
    "name": "conflict(float *, int)", "class": "memory", "time_share": 0.6,
    "findings": [{"tool": "bank_conflict", "severity": "warning", "evidence": "measured",
                  "gain": [1.2, 1.5],
                  "message": "32 wavefronts for one request. Lanes wait for each other.",
                  "prescriptions": [{"action": "pad-shared", "text": "Pad the row.",
                                     "code": "t[32][33]"}]}]})json");
  EXPECT_EQ(json["kernels"][0], promised);
  EXPECT_EQ(json["device"], "NVIDIA H200");
  EXPECT_FALSE(json.contains("rules"));
  EXPECT_EQ(json["notes"],
            (nlohmann::json{"a note", "unknown: instruction_mix needs x.sum",
                            "unknown: warp_stall, vector_access need y.ratio (dark())",
                            "not applicable: dram_traffic: the task states no bytes"}));
}

TEST(Findings, what_is_not_known_is_null) {
  ProgramDiagnosis program = three_kernels();
  program.device.clear();
  program.kernels[2].share.reset();
  const auto json = findings_json({program});
  EXPECT_TRUE(json["device"].is_null());
  EXPECT_TRUE(json["kernels"][2]["class"].is_null());
  EXPECT_TRUE(json["kernels"][2]["time_share"].is_null());
}

TEST(Findings, the_profilers_rules_are_shown_when_given) {
  const ProgramDiagnosis program = three_kernels();
  FindingsView view{program};
  view.rules = {{"conflict(float *, int)", "SharedMemoryConflicts", "OPT", "32-way | conflict",
                 "global", 73.52}};
  EXPECT_NE(
      findings_text(view).find("OPT SharedMemoryConflicts (global 73.5 %): 32-way | conflict"),
      std::string::npos);
  EXPECT_EQ(findings_json(view)["rules"][0]["speedup_pct"], 73.52);
  EXPECT_NE(
      findings_markdown(view).find("| OPT | SharedMemoryConflicts | global 73.5 % | 32-way \\| "
                                   "conflict |"),
      std::string::npos)
      << findings_markdown(view);
}

TEST(Findings, the_markdown_has_a_chapter_a_kernel) {
  ProgramDiagnosis program = three_kernels();
  const std::string text = findings_markdown({program});
  EXPECT_NE(text.find("## `conflict(float *, int)`\n\n60.0 % of the GPU time"), std::string::npos);
  EXPECT_NE(
      text.find("**warning: bank\\_conflict: 1.20x to 1.50x possible (measured)**\n\n32 wave"),
      std::string::npos);
  EXPECT_NE(text.find("1. Pad the row. [pad-shared]\n\n```cuda\nt[32][33]\n```\n"),
            std::string::npos);
  EXPECT_NE(text.find("## Notes\n\n- unknown: instruction\\_mix needs x.sum\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("- a note\n"));
}

}  // namespace
}  // namespace kp::report
