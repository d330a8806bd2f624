// SPDX-License-Identifier: Apache-2.0
#include "diagnose/diagnose.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "diagnose/actions.h"
#include "diagnose/finding_text.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

/// y[n] = f(x[n]) in f32, 64 Mi elements: 537 MB.
Task streaming_task() {
  Task task;
  task.declaration.axes = {"n"};
  const Expr n({Expr::Step{Expr::Op::kName, 0, "n"}}, "n");
  task.declaration.tensors = {{.name = "x", .shape = {n}, .role = TensorRole::kInput},
                              {.name = "y", .shape = {n}, .role = TensorRole::kOutput}};
  task.declaration.work.flops = n;
  return task;
}
Workload large() { return {.name = "large", .axes = {{"n", 1 << 26}}}; }

Diagnosis diagnosis_of(const Profile& profile, const TrackRecord& record = {}) {
  const SampleKernel sample;
  const Result<Diagnosis> result =
      diagnose(streaming_task(), large(), profile, sample.device, record);
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  return result ? *result : Diagnosis{};
}

/// Bank conflicts and strided stores at the same time.
SampleKernel faulty() {
  SampleKernel sample;
  sample.set({{metric::kDuration, 500e3},
              {metric::kGlobalStoreSectors, 67e6},
              {metric::kStoreBytesPerSector, 4},
              {metric::kL2SectorsFromL1, 75.5e6},
              {metric::kSharedLoadWavefronts, 67e6},
              {metric::kSharedLoadConflicts, 65e6}});
  sample.times({125e3, 440e3, 380e3, 20e3, 10e3, 60e3});
  return sample;
}

TEST(Diagnose, AKernelAtItsRoofGetsOneSentence) {
  SampleKernel sample = faulty();
  sample.set({{metric::kDuration, 135e3}});
  const Diagnosis diagnosis = diagnosis_of({.kernels = {sample.kernel}});
  EXPECT_TRUE(diagnosis.at_roof);
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  const Finding& finding = diagnosis.findings[0];
  EXPECT_EQ(finding.prescriptions.at(0).action, action::kFuseOrNarrow);
  EXPECT_EQ(
      to_text(finding),
      "info: roof in sample: (modelled)\n"
      "  At the DRAM roof: 536 MB in 135 us is 3.97 TB/s, 92 % of the 4.3 TB/s that this device "
      "sustains; only fusing it with neighbouring kernels or narrower types can help.\n");
}

TEST(Diagnose, FindingsAreRankedBySeverityAndWin) {
  const Diagnosis diagnosis = diagnosis_of({.kernels = {faulty().kernel}});
  EXPECT_FALSE(diagnosis.at_roof);
  ASSERT_GE(diagnosis.findings.size(), 2u);
  EXPECT_EQ(diagnosis.findings[0].tool, "memory_coalescing");
  for (std::size_t i = 1; i < diagnosis.findings.size(); ++i) {
    EXPECT_GE(diagnosis.findings[i - 1].severity, diagnosis.findings[i].severity);
  }
}

TEST(Diagnose, TheTrackRecordSetsTheLowEndOfTheGain) {
  const Profile profile{.kernels = {faulty().kernel}};
  const Gain untried = diagnosis_of(profile).findings.at(0).gain;
  const Gain trusted = diagnosis_of(profile, {{"memory_coalescing", 1.0}}).findings.at(0).gain;
  EXPECT_LT(untried.low, untried.high);
  EXPECT_DOUBLE_EQ(trusted.low, trusted.high);
  EXPECT_DOUBLE_EQ(trusted.high, untried.high);
}

TEST(Diagnose, AKernelAtItsRoofAmongOthersIsToldToFuse) {
  SampleKernel fast;
  fast.kernel.kernel = "first_pass";
  fast.kernel.share = 0.2;
  fast.set({{metric::kDuration, 130e3}});
  SampleKernel slow = faulty();
  slow.kernel.share = 0.8;
  const Diagnosis diagnosis = diagnosis_of({.kernels = {fast.kernel, slow.kernel}});
  EXPECT_FALSE(diagnosis.at_roof);
  EXPECT_EQ(std::count_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                          [](const Finding& f) { return f.kernel == "first_pass"; }),
            1);
  EXPECT_EQ(diagnosis.findings.back().tool, "roof");
}

TEST(Diagnose, TwoPassesAtTheRoofAreToldOnceToBecomeOne) {
  SampleKernel first, second;
  for (SampleKernel* pass : {&first, &second}) {
    pass->set({{metric::kDuration, 130e3}});
    pass->kernel.share = 0.5;
  }
  second.kernel.launch = 1;
  const Diagnosis diagnosis = diagnosis_of({.kernels = {first.kernel, second.kernel}});
  ASSERT_EQ(diagnosis.findings.size(), 2u);
  EXPECT_EQ(diagnosis.findings[0].tool, "dram_traffic");
  EXPECT_EQ(diagnosis.findings[0].prescriptions.at(0).action, action::kFuseOrNarrow);
  EXPECT_GT(diagnosis.findings[0].gain.high, 1.7);
  EXPECT_EQ(diagnosis.findings[1].tool, "roof");
}

TEST(Diagnose, SaysWhatItCouldNotLookAt) {
  SampleKernel sample = faulty();
  sample.forget(metric::kDfma);
  const Diagnosis diagnosis = diagnosis_of({.kernels = {sample.kernel, sample.kernel}});
  const std::string expected =
      "instruction_mix: metric " + std::string(metric::kDfma.name) + " is unknown";
  EXPECT_EQ(std::count(diagnosis.not_applicable.begin(), diagnosis.not_applicable.end(), expected),
            1);
}

TEST(Diagnose, AnEmptyProfileHasNoFindings) { EXPECT_TRUE(diagnosis_of({}).findings.empty()); }

TEST(Diagnose, ReportsAWorkloadThatLacksAnAxis) {
  const SampleKernel sample;
  const Result<Diagnosis> result = diagnose(streaming_task(), {.name = "empty"}, {}, sample.device);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().text().find("n"), std::string::npos);
}

TEST(Floor, KnowsBytesFlopAndDouble) {
  Task task = streaming_task();
  Result<Floor> floor = floor_of(task, large());
  ASSERT_TRUE(floor);
  EXPECT_DOUBLE_EQ(floor->bytes, 8.0 * (1 << 26));
  EXPECT_DOUBLE_EQ(*floor->written, 4.0 * (1 << 26));
  EXPECT_DOUBLE_EQ(*floor->intensity(), 0.125);
  EXPECT_FALSE(floor->double_data);
  task.declaration.tensors[1].dtype = DType::kF64;
  floor = floor_of(task, large());
  ASSERT_TRUE(floor);
  EXPECT_TRUE(floor->double_data);
}

TEST(FindingText, NumbersPrescriptionsAndIndentsCode) {
  Finding finding{
      .tool = "t", .kernel = "k", .severity = Severity::kWarning, .saw = "Saw.", .costs = "Costs."};
  finding.prescriptions = {{"a", "Do this.", "x();\ny();"}, {"b", "Or that.", ""}};
  finding.gain = {1.1, 1.5};
  EXPECT_EQ(to_text(finding),
            "warning: t in k: 1.10x to 1.50x possible (modelled)\n"
            "  Saw.\n"
            "  Costs.\n"
            "  1. Do this. [a]\n"
            "       x();\n"
            "       y();\n"
            "  2. Or that. [b]\n");
}

TEST(Tools, TheDescriptionInTheDocumentationIsCurrent) {
  const Path path = Path(KP_SOURCE_DIR) / "docs" / "tools.md";
  if (std::getenv("UPDATE_GOLDENS")) {
    ASSERT_TRUE(write_file(path, describe_tools_markdown()));
  }
  const Result<std::string> committed = read_text(path);
  ASSERT_TRUE(committed) << committed.error().text();
  EXPECT_EQ(*committed, describe_tools_markdown()) << "run the test with UPDATE_GOLDENS=1";
}

}  // namespace
}  // namespace kp::diagnose
