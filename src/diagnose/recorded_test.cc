// SPDX-License-Identifier: Apache-2.0
#include "diagnose/recorded.h"

#include <gtest/gtest.h>

#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

const DeviceSpec& h200() {
  static const DeviceSpec kSpec = *read_device_spec(KP_SOURCE_DIR "/specs/h200.toml");
  return kSpec;
}

/// 536 MB in `ns`, packed, nothing else of note.
profile::RecordedKernel stream(double ns) {
  profile::RecordedKernel kernel{"stream(float *)", 1, ns, {}};
  kernel.profile.kernel = "stream";
  const auto set = [&](const MetricKey& key, double value) {
    kernel.profile.metrics.set(key, value, Grade::kMeasured);
  };
  set(metric::kDuration, ns);
  set(metric::kDramRead, 268e6);
  set(metric::kDramWrite, 268e6);
  set(metric::kLoadBytesPerSector, 32);
  set(metric::kStoreBytesPerSector, 32);
  set(metric::kComputePct, 20);
  set(metric::kMemoryPct, 100 * 536e6 / 4.8e12 / (ns * 1e-9));
  return kernel;
}

ProgramDiagnosis diagnosis_of(std::vector<profile::RecordedKernel> kernels) {
  profile::Recording recording{.source = "ncu", .device = "NVIDIA H200"};
  recording.kernels = std::move(kernels);
  return diagnose(recording, h200());
}

KernelDiagnosis diagnosis_of(const profile::RecordedKernel& kernel) {
  return diagnosis_of(std::vector{kernel}).kernels.at(0);
}

void set(profile::RecordedKernel& kernel, const MetricKey& key, double value) {
  kernel.profile.metrics.set(key, value, Grade::kMeasured);
}

TEST(Recorded, a_stream_at_the_bandwidth_of_the_device_gets_one_sentence) {
  const KernelDiagnosis found = diagnosis_of(stream(133e3));
  EXPECT_TRUE(found.diagnosis.at_roof);
  ASSERT_EQ(found.diagnosis.findings.size(), 1u);
  EXPECT_EQ(found.diagnosis.findings[0].tool, "roof");
  EXPECT_EQ(found.diagnosis.findings[0].severity, Severity::kInfo);
  EXPECT_EQ(found.diagnosis.boundness, Boundness::kMemory);
}

TEST(Recorded, a_slower_stream_is_not_at_its_roof) {
  EXPECT_FALSE(diagnosis_of(stream(200e3)).diagnosis.at_roof);
}

TEST(Recorded, bytes_that_nobody_uses_are_no_roof) {
  auto kernel = stream(133e3);
  set(kernel, metric::kLoadBytesPerSector, 4);
  EXPECT_FALSE(diagnosis_of(kernel).diagnosis.at_roof);
  auto spilling = stream(133e3);
  set(spilling, metric::kLocalLoadSectors, 1e6);
  EXPECT_FALSE(diagnosis_of(spilling).diagnosis.at_roof);
}

TEST(Recorded, a_roof_is_not_claimed_of_sectors_that_were_not_counted) {
  profile::RecordedKernel kernel{"k", 1, 133e3, {}};
  kernel.profile.metrics.set(metric::kDuration, 133e3, Grade::kMeasured);
  kernel.profile.metrics.set(metric::kDramRead, 268e6, Grade::kMeasured);
  kernel.profile.metrics.set(metric::kDramWrite, 268e6, Grade::kMeasured);
  EXPECT_FALSE(diagnosis_of(kernel).diagnosis.at_roof);
}

TEST(Recorded, busy_tensor_cores_are_a_roof) {
  auto kernel = stream(400e3);
  set(kernel, metric::kTensorPct, 91);
  set(kernel, metric::kComputePct, 91);
  const KernelDiagnosis found = diagnosis_of(kernel);
  EXPECT_TRUE(found.diagnosis.at_roof);
  EXPECT_NE(found.diagnosis.findings.at(0).saw.find("tensor cores: they are busy for 91 %"),
            std::string::npos);
  EXPECT_EQ(found.diagnosis.boundness, Boundness::kCompute);
}

TEST(Recorded, lanes_that_are_busy_with_indices_are_no_roof) {
  auto kernel = stream(400e3);
  set(kernel, metric::kFp32Pct, 92);
  set(kernel, metric::kFadd, 1e6);
  set(kernel, metric::kFmul, 0);
  set(kernel, metric::kFfma, 1e6);
  EXPECT_FALSE(diagnosis_of(kernel).diagnosis.at_roof);
  set(kernel, metric::kFfma, 0.9 * 400e-6 * h200().scalar_flops_f32 / 2);
  EXPECT_TRUE(diagnosis_of(kernel).diagnosis.at_roof);
}

TEST(Recorded, the_class_is_what_was_measured) {
  auto kernel = stream(400e3);
  set(kernel, metric::kComputePct, 45);
  set(kernel, metric::kMemoryPct, 50);
  EXPECT_EQ(diagnosis_of(kernel).diagnosis.boundness, Boundness::kLatency);
  set(kernel, metric::kComputePct, 83);
  const KernelDiagnosis found = diagnosis_of(kernel);
  EXPECT_EQ(found.diagnosis.boundness, Boundness::kCompute);
  EXPECT_EQ(found.diagnosis.why, "compute reaches 83 % and memory 50 % of peak");
  EXPECT_TRUE(found.classified);
}

TEST(Recorded, a_class_is_not_made_up_without_throughputs) {
  profile::RecordedKernel kernel{"k", 3, 300e3, {}};
  kernel.profile.metrics.set(metric::kDuration, 100e3, Grade::kMeasured);
  const KernelDiagnosis found = diagnosis_of(kernel);
  EXPECT_FALSE(found.classified);
  EXPECT_EQ(found.diagnosis.why, "throughputs are unknown");
  EXPECT_FALSE(found.diagnosis.not_applicable.empty());
}

TEST(Recorded, gains_are_of_the_kernel_and_shares_say_what_they_are_worth) {
  auto strided = stream(200e3);
  set(strided, metric::kGlobalLoadSectors, 67e6);
  set(strided, metric::kGlobalLoadRequests, 2.1e6);
  set(strided, metric::kGlobalStoreSectors, 8.4e6);
  set(strided, metric::kGlobalStoreRequests, 2.1e6);
  set(strided, metric::kLoadBytesPerSector, 4);
  auto large = stream(1.8e6);
  large.name = "large";
  const ProgramDiagnosis both = diagnosis_of({large, strided});
  EXPECT_DOUBLE_EQ(*both.kernels[1].share, 0.1);
  const KernelDiagnosis alone = diagnosis_of(strided);
  ASSERT_EQ(alone.diagnosis.findings.size(), both.kernels[1].diagnosis.findings.size());
  for (std::size_t i = 0; i < alone.diagnosis.findings.size(); ++i) {
    EXPECT_EQ(alone.diagnosis.findings[i].gain.high,
              both.kernels[1].diagnosis.findings[i].gain.high);
  }
}

TEST(Recorded, shares_are_absent_without_durations) {
  profile::RecordedKernel kernel{"k", 1, 0, {}};
  EXPECT_FALSE(diagnosis_of(kernel).share);
}

TEST(Recorded, idle_time_is_told_once_with_the_first_kernel) {
  profile::Recording recording{.source = "nsys"};
  for (int i = 0; i < 3; ++i) {
    profile::RecordedKernel kernel{"k" + std::to_string(i), 100, 300e3, {}};
    kernel.profile.kernel = kernel.name;
    kernel.profile.launch = i;
    kernel.profile.metrics.set(metric::kDuration, 3e3, Grade::kMeasured);
    recording.kernels.push_back(kernel);
  }
  recording.timeline = Timeline{.window_ns = 3e6,
                                .busy_ns = 0.9e6,
                                .launches = 300,
                                .median_kernel_ns = 3e3,
                                .launch_api_ns = 2e6};
  const ProgramDiagnosis found = diagnose(recording, h200());
  int told = 0;
  for (const KernelDiagnosis& kernel : found.kernels) {
    for (const Finding& finding : kernel.diagnosis.findings) {
      told += finding.tool == "launch_overhead";
    }
  }
  EXPECT_EQ(told, find_tool("launch_overhead") == nullptr ? 0 : 1);
}

TEST(ByKernel, findings_stand_with_their_kernel_and_launches_of_one_are_taken_together) {
  Profile run{.device = "vgpu:h200", .source = "vgpu"};
  for (const char* name : {"small", "large", "small"}) {
    KernelProfile kernel = stream(100e3).profile;
    kernel.kernel = name;
    kernel.share = kernel.kernel == "small" ? 0.2 : 0.6;
    run.kernels.push_back(kernel);
  }
  Diagnosis diagnosis;
  for (const char* name : {"large", "small", "large"}) {
    Finding finding;
    finding.kernel = name;
    diagnosis.findings.push_back(finding);
  }
  const ProgramDiagnosis program = by_kernel(diagnosis, run, Floor{}, h200());
  ASSERT_EQ(program.kernels.size(), 2u);
  EXPECT_EQ(program.kernels[0].name, "large");
  EXPECT_EQ(program.kernels[0].diagnosis.findings.size(), 2u);
  EXPECT_EQ(program.kernels[1].launches, 2);
  EXPECT_DOUBLE_EQ(*program.kernels[1].share, 0.4);
  EXPECT_DOUBLE_EQ(*program.kernels[1].total_ns, 200e3);
  EXPECT_EQ(program.kernels[1].diagnosis.findings.size(), 1u);
}

DeviceSpec spec(const std::string& product, const std::string& architecture) {
  DeviceSpec made;
  made.product = product;
  made.architecture = architecture;
  return made;
}

TEST(ChosenSpec, the_product_decides_then_the_architecture_then_the_nearest) {
  const std::vector specs{spec("NVIDIA A100-SXM4-80GB", "sm_80"),
                          spec("NVIDIA H100 80GB HBM3", "sm_90"), spec("NVIDIA H200 SXM", "sm_90")};
  profile::Recording recording{.source = "ncu", .device = "NVIDIA H200", .architecture = "sm_90"};
  EXPECT_EQ(choose_spec(recording, specs).spec.product, "NVIDIA H200 SXM");
  EXPECT_EQ(choose_spec(recording, specs).note, "");

  recording.device = "CC 9.0";
  EXPECT_EQ(choose_spec(recording, specs).spec.architecture, "sm_90");
  EXPECT_NE(choose_spec(recording, specs).note.find("recorded on CC 9.0"), std::string::npos);

  recording = {.source = "ncu", .device = "NVIDIA L4", .architecture = "sm_89"};
  EXPECT_EQ(choose_spec(recording, specs).spec.architecture, "sm_90");
  EXPECT_NE(choose_spec(recording, specs).note.find("another architecture"), std::string::npos);

  recording = {.source = "nsys"};
  EXPECT_NE(choose_spec(recording, specs).note.find("an unknown GPU"), std::string::npos);
}

}  // namespace
}  // namespace kp::diagnose
