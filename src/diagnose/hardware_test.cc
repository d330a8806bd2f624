// SPDX-License-Identifier: Apache-2.0
// What is named first for kernels whose counters an H200 recorded: eight of one program (with
// Nsight Compute's full set), two plans, and those of bench/calibration. Names stand for faults
// here, in the table below and nowhere else.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "diagnose/actions.h"
#include "diagnose/diagnose.h"
#include "diagnose/finding_text.h"
#include "model/json.h"

namespace kp::diagnose {
namespace {

const Path kSource = KP_SOURCE_DIR;

nlohmann::json read_json(const Path& path) {
  const Result<std::string> text = read_text(path);
  EXPECT_TRUE(text) << (text ? "" : text.error().text());
  return text ? nlohmann::json::parse(*text) : nlohmann::json();
}

/// Of a program, or of plans in share/kernelbench at the sizes of their tasks.
MetricSet metrics_in(const std::string& file, const std::string& kernel) {
  MetricSet metrics;
  const nlohmann::json all = read_json(kSource / "src/diagnose/testdata" / file);
  for (const auto& [name, value] : all.at("kernels").at(kernel).items()) {
    metrics.set(name, Metric{value.get<double>(), Grade::kMeasured});
  }
  return metrics;
}

/// Rows of the calibration name their columns once.
MetricSet metrics_of_calibration(const std::string& kernel) {
  static const nlohmann::json all =
      read_json(kSource / "bench/results/h200/calibration/measured.json");
  const nlohmann::json& entry = all.at("kernels").at(kernel);
  MetricSet metrics;
  for (std::size_t i = 0; i < all.at("columns").size(); ++i) {
    const nlohmann::json& value = entry.at("metrics").at(i);
    if (value.is_null()) continue;
    metrics.set(all.at("columns").at(i).get<std::string>(),
                Metric{value.get<double>(), Grade::kMeasured});
  }
  const double local = entry.value("local_bytes", 0.0);
  metrics.set(metric::kStackBytes, local, Grade::kStatic);
  metrics.set(metric::kSpillBytes, kernel == "spill" ? local : 0, Grade::kStatic);
  return metrics;
}

Diagnosis diagnosis_of(const std::string& kernel, MetricSet metrics, const Floor& floor) {
  Result<DeviceSpec> device = read_device_spec((kSource / "specs/h200.toml").string());
  EXPECT_TRUE(device);
  Profile profile{.device = "NVIDIA H200", .source = "ncu"};
  profile.kernels.push_back({.kernel = kernel, .metrics = std::move(metrics)});
  return diagnose(floor, profile, *device);
}

std::string text_of(const Diagnosis& diagnosis) {
  std::string text = diagnosis.why + "\n";
  for (const Finding& finding : diagnosis.findings) text += to_text(finding);
  return text;
}

/// The tool that is named first; empty when none says more than info.
std::string first(const Diagnosis& diagnosis) {
  if (diagnosis.findings.empty()) return "";
  const Finding& finding = diagnosis.findings.front();
  return finding.severity == Severity::kInfo ? "" : finding.tool;
}

struct Expected {
  std::string kernel, tool;
  Floor floor;
};

Floor product(Precision precision) {
  return {.bytes = 12.6e6, .flops = 2.147e9, .contraction = true, .precision = precision};
}

class App : public testing::TestWithParam<Expected> {};

TEST_P(App, NamesFirstWhatAnExpertNames) {
  const auto& [kernel, tool, floor] = GetParam();
  const Diagnosis diagnosis = diagnosis_of(kernel, metrics_in("h200_app.json", kernel), floor);
  EXPECT_EQ(first(diagnosis), tool) << text_of(diagnosis);
}
INSTANTIATE_TEST_SUITE_P(
    Recorded, App,
    testing::Values(Expected{"strided", "memory_coalescing", {}},
                    Expected{"conflict", "bank_conflict", {}},
                    Expected{"spill", "register_spill", {}}, Expected{"add", "", {}},
                    Expected{"add", "", {.bytes = 201e6, .flops = 16.8e6}},
                    Expected{"matmul", "shared_mem_tiling", {}},
                    Expected{"matmul", "shared_mem_tiling", product(Precision::kF32)},
                    Expected{"matmul", "tensor_core", product(Precision::kTf32)},
                    Expected{"tensor", "shared_mem_tiling", product(Precision::kF16)},
                    Expected{"tiny", "launch_overhead", {}}));

TEST(Plan, AMatrixTimesAVectorHasTooLittleOnItsWayAndNothingToReuse) {
  const Floor floor{.bytes = 8.594e9, .flops = 4.295e9, .contraction = true};
  const Diagnosis diagnosis =
      diagnosis_of("matvec", metrics_in("h200_plans.json", "matvec"), floor);
  ASSERT_EQ(diagnosis.findings.size(), 1u) << text_of(diagnosis);
  EXPECT_EQ(first(diagnosis), "warp_stall");
  EXPECT_EQ(diagnosis.findings[0].prescriptions.at(0).action, action::kUnroll);
  // Measured: 1.65x for four turns side by side.
  EXPECT_LE(diagnosis.findings[0].gain.low, 1.65);
  EXPECT_GE(diagnosis.findings[0].gain.high, 1.65);
}

TEST(Plan, RowsThatBeginInsideOfSectorsComeInPartTwice) {
  const Floor floor{.bytes = 8.589e9, .flops = 2.147e9};
  const Diagnosis diagnosis =
      diagnosis_of("sum_rows", metrics_in("h200_plans.json", "sum_rows"), floor);
  EXPECT_EQ(first(diagnosis), "dram_traffic") << text_of(diagnosis);
  EXPECT_NE(text_of(diagnosis).find("a sector that two warps share"), std::string::npos)
      << text_of(diagnosis);
}

class Calibration : public testing::TestWithParam<Expected> {};

TEST_P(Calibration, NamesFirstWhatAnExpertNames) {
  const auto& [kernel, tool, floor] = GetParam();
  const Diagnosis diagnosis = diagnosis_of(kernel, metrics_of_calibration(kernel), floor);
  EXPECT_EQ(first(diagnosis), tool) << text_of(diagnosis);
}
INSTANTIATE_TEST_SUITE_P(
    Recorded, Calibration,
    testing::Values(
        Expected{"hist_global", "atomic_contention", {}},
        Expected{"hist_hot_global", "atomic_contention", {}},
        Expected{"hist_spread", "atomic_contention", {}},
        Expected{"atomic_float_same", "atomic_contention", {}},
        Expected{"atomic_warp", "atomic_contention", {}},
        Expected{"stride_32", "memory_coalescing", {}},
        Expected{"stride_2", "memory_coalescing", {}},
        Expected{"transpose_naive", "memory_coalescing", {}},
        Expected{"rows_thread", "memory_coalescing", {}},
        Expected{"scatter", "memory_coalescing", {}},
        Expected{"transpose_conflict", "bank_conflict", {}},
        Expected{"shared_conflict8", "bank_conflict", {}}, Expected{"spill", "register_spill", {}},
        Expected{"local_array", "register_spill", {}}, Expected{"copy_1b", "vector_access", {}},
        Expected{"copy_2b", "vector_access", {}}, Expected{"few_warps", "occupancy_limiter", {}},
        Expected{"small_grid", "launch_shape", {}}, Expected{"tail", "launch_shape", {}},
        Expected{"unequal_loops", "divergence", {}}, Expected{"collatz", "divergence", {}},
        Expected{"barriers", "barrier_stall", {}},
        Expected{"special_accurate", "instruction_mix", {}},
        Expected{"int_divide", "instruction_mix", {}},
        Expected{"attention_row", "launch_shape", {}},
        Expected{"l2_reuse", "shared_mem_tiling", {}}, Expected{"chase", "warp_stall", {}}));
INSTANTIATE_TEST_SUITE_P(
    AtTheirRoof, Calibration,
    testing::Values(Expected{"add_three", "", {}}, Expected{"copy_16b", "", {}},
                    Expected{"half2_axpy", "", {}}, Expected{"rows_warp", "", {}},
                    Expected{"transpose_pad", "", {}}, Expected{"sum_shuffle", "", {}},
                    Expected{"matvec", "", {}}));

}  // namespace
}  // namespace kp::diagnose
