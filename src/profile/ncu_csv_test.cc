// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "profile/ncu.h"

namespace kp::profile {
namespace {

Path testdata(const std::string& name) {
  return Path(KP_SOURCE_DIR) / "src/profile/testdata/ncu" / name;
}

Recording recorded(const std::string& name) {
  auto recording = read_ncu_csv(testdata(name));
  EXPECT_TRUE(recording) << recording.error().text();
  return recording ? *std::move(recording) : Recording{};
}

const RecordedKernel& kernel(const Recording& recording, std::string_view name) {
  for (const RecordedKernel& one : recording.kernels) {
    if (one.profile.kernel == name) return one;
  }
  ADD_FAILURE() << "no kernel " << name;
  static const RecordedKernel kNone;
  return kNone;
}

double metric(const RecordedKernel& kernel, const MetricKey& key) {
  const auto value = kernel.profile.metrics.get(key);
  EXPECT_TRUE(value) << key.name;
  return value.value_or(NAN);
}

Error failure_of(const std::string& name) {
  const auto recording = read_ncu_csv(testdata(name));
  EXPECT_FALSE(recording) << name;
  return recording ? Error{} : recording.error();
}

const std::string kHead =
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\","
    "\"gpu__time_duration.sum\",\"dram__bytes_read.sum\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"us\",\"Mbyte\"\n";

std::string launch(int id, const std::string& name, const std::string& grid,
                   const std::string& duration, const std::string& bytes = "1.00") {
  return "\"" + std::to_string(id) + "\",\"1\",\"" + name + "\",\"(256, 1, 1)\",\"" + grid +
         "\",\"9.0\",\"" + duration + "\",\"" + bytes + "\"\n";
}

Recording parsed(const std::string& text) {
  auto recording = parse_ncu_csv(text, "x.csv");
  EXPECT_TRUE(recording) << recording.error().text();
  return recording ? *std::move(recording) : Recording{};
}

TEST(NcuCsv, the_raw_page_of_a_recording_is_read) {
  const Recording recording = recorded("raw_base.csv");
  EXPECT_EQ(recording.source, "ncu");
  EXPECT_EQ(recording.device, "NVIDIA H200");
  EXPECT_EQ(recording.architecture, "sm_90");
  ASSERT_EQ(recording.kernels.size(), 7u);
  EXPECT_EQ(recording.kernels[0].profile.kernel, "spill") << "largest share of time first";
  EXPECT_GT(recording.kernels[0].profile.share, 0.9);
  EXPECT_TRUE(recording.notes.empty()) << recording.notes[0];

  const RecordedKernel& add = kernel(recording, "add");
  EXPECT_EQ(add.name, "add(const float *, const float *, float *, int)");
  EXPECT_EQ(add.launches, 1);
  EXPECT_EQ(add.total_ns, 58848);
  EXPECT_EQ(metric(add, metric::kDuration), 58848);
  EXPECT_EQ(metric(add, metric::kDramRead), 134228992);
  EXPECT_EQ(metric(add, metric::kStallLongScoreboard), 56.07);
  EXPECT_EQ(metric(add, metric::kLoadBytesPerSector), 32);
  EXPECT_EQ(add.profile.metrics.find(metric::kDramRead.name)->grade, Grade::kMeasured);
  EXPECT_EQ(add.profile.metrics.find(metric::kRegisters.name)->grade, Grade::kStatic);
  EXPECT_EQ(kernel(recording, "tensor<float>").name,
            "void tensor<float>(const __half *, const __half *, T1 *, int)");
}

TEST(NcuCsv, counts_and_shared_memory_are_derived_from_the_full_set) {
  const Recording recording = recorded("raw_base.csv");
  // One addition for each of 2^24 elements; one fused operation for each of 1024^3.
  EXPECT_NEAR(metric(kernel(recording, "add"), metric::kFadd), 16777216, 1e-4 * 16777216);
  EXPECT_NEAR(metric(kernel(recording, "matmul"), metric::kFfma), 1073741824, 1e-4 * 1073741824);
  EXPECT_EQ(metric(kernel(recording, "conflict"), metric::kSharedPerBlock), 4096);
}

TEST(NcuCsv, scaled_units_give_the_same_values_as_base_units) {
  const Recording base = recorded("raw_base.csv"), scaled = recorded("raw_auto.csv");
  ASSERT_EQ(base.kernels.size(), scaled.kernels.size());
  int compared = 0;
  for (std::size_t i = 0; i < base.kernels.size(); ++i) {
    for (const auto& [name, value] : base.kernels[i].profile.metrics.all()) {
      const auto other = scaled.kernels[i].profile.metrics.find(name);
      ASSERT_TRUE(other) << name;
      // Both show few decimals, each of its own unit; for bytes that may be a thousand of them.
      const double rounding = name.find("_bytes") != std::string::npos ? 1e3 : 0.0051;
      EXPECT_NEAR(other->value, value.value, 0.006 * std::abs(value.value) + rounding) << name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(NcuCsv, labels_of_the_details_page_mean_the_same_metrics) {
  const Recording raw = recorded("raw_base.csv"), details = recorded("details.csv");
  ASSERT_EQ(details.kernels.size(), 3u);
  for (const RecordedKernel& one : details.kernels) {
    const RecordedKernel& other = kernel(raw, one.profile.kernel);
    EXPECT_GT(one.profile.metrics.all().size(), 25u);
    for (const auto& [name, value] : one.profile.metrics.all()) {
      const auto known = other.profile.metrics.find(name);
      ASSERT_TRUE(known) << name;
      // "One or More Eligible" has two more digits than the metric it stands for.
      const double rounding = name == metric::kIssueActive.name ? 0.006 : 1e-9;
      EXPECT_NEAR(known->value, value.value, rounding) << name;
    }
  }
}

TEST(NcuCsv, rules_are_kept_apart_with_their_estimates) {
  const Recording recording = recorded("details.csv");
  const auto conflicts =
      std::count_if(recording.rules.begin(), recording.rules.end(), [](const RuleMessage& rule) {
        return rule.rule == "SharedMemoryConflicts" && rule.kernel == "conflict(float *, int)" &&
               rule.type == "OPT" && rule.speedup_type == "global" && rule.speedup_pct;
      });
  EXPECT_EQ(conflicts, 2);
  EXPECT_TRUE(recorded("raw_base.csv").rules.empty());
}

TEST(NcuCsv, output_of_the_program_around_the_table_is_passed_over) {
  const Recording recording = recorded("one_metric.txt");
  EXPECT_EQ(metric(kernel(recording, "add"), metric::kInstructions), 10485760);
  EXPECT_EQ(kernel(recording, "tiny").launches, 3);
}

TEST(NcuCsv, output_of_the_program_between_and_before_records_is_passed_over) {
  const Recording recording =
      parsed("loading ... " + kHead + launch(0, "a", "(1, 1, 1)", "5.00") +
             "epoch 1\n==PROF== Profiling \"a\" - 1: 0%....100% - 2 passes\n\n\"quoted\" words\n" +
             launch(1, "a", "(1, 1, 1)", "7.00") + "done\n");
  ASSERT_EQ(recording.kernels.size(), 1u);
  EXPECT_EQ(recording.kernels[0].launches, 2);
  EXPECT_EQ(recording.kernels[0].total_ns, 12000);
}

TEST(NcuCsv, launches_of_one_shape_are_one_kernel_with_the_counters_of_the_median) {
  const Recording recording = parsed(kHead + launch(0, "a", "(1, 1, 1)", "5.00", "50.00") +
                                     launch(1, "a", "(1, 1, 1)", "90.00", "900.00") +
                                     launch(2, "a", "(1, 1, 1)", "7.00", "70.00") +
                                     launch(3, "a", "(2, 1, 1)", "34.00", "340.00"));
  ASSERT_EQ(recording.kernels.size(), 2u);
  const RecordedKernel& first = recording.kernels[0];
  EXPECT_EQ(first.launches, 3);
  EXPECT_EQ(metric(first, metric::kDuration), 7000);
  EXPECT_EQ(metric(first, metric::kDramRead), 70e6);
  EXPECT_DOUBLE_EQ(first.profile.share, 102.0 / 136);
  EXPECT_EQ(first.name, "a grid (1, 1, 1) block (256, 1, 1)");
  EXPECT_EQ(recording.kernels[1].profile.launch, 3);
}

TEST(NcuCsv, missing_values_are_missing_and_never_zero) {
  const Recording recording = parsed(kHead + launch(0, "a", "(1, 1, 1)", "5.00", "(!) n/a"));
  EXPECT_EQ(recording.kernels[0].profile.metrics.get(metric::kDramRead), std::nullopt);
}

TEST(NcuCsv, values_without_bounds_are_missing) {
  const Recording recording = parsed(kHead + launch(0, "a", "(1, 1, 1)", "1e308", "1e308"));
  EXPECT_EQ(recording.kernels[0].total_ns, 0);
  EXPECT_EQ(recording.kernels[0].profile.metrics.get(metric::kDramRead), std::nullopt);
  EXPECT_EQ(parsed(kHead + launch(0, "a", "(1, 1, 1)", "-5.00")).kernels[0].total_ns, 0);
}

TEST(NcuCsv, without_durations_shares_are_unknown_and_a_note_says_so) {
  const Recording recording = parsed(kHead + launch(0, "a", "(1, 1, 1)", "n/a"));
  EXPECT_EQ(recording.kernels[0].total_ns, 0);
  ASSERT_EQ(recording.notes.size(), 1u);
  EXPECT_NE(recording.notes[0].find("gpu__time_duration.sum was not recorded"), std::string::npos);
}

TEST(NcuCsv, names_may_hold_commas_quotes_and_line_ends) {
  const Recording recording =
      parsed(kHead + launch(0, "f<\"\"x\"\", 2>(int,\nint)", "(1, 1, 1)", "5.00"));
  EXPECT_EQ(recording.kernels[0].name, "f<\"x\", 2>(int,\nint)");
}

TEST(NcuCsv, tables_without_quotes_are_read_too) {
  const Recording recording = parsed(
      "ID,Process ID,Kernel Name,Block Size,Grid Size,CC,gpu__time_duration.sum\r\n"
      ",,,,,,ns\r\n0,1,\"f(int, int)\",\"(1, 1, 1)\",\"(1, 1, 1)\",8.0,1500\r\n");
  EXPECT_EQ(recording.architecture, "sm_80");
  EXPECT_EQ(recording.kernels[0].total_ns, 1500);
}

TEST(NcuCsv, a_decimal_comma_is_recognised) {
  const Recording recording = parsed(kHead + launch(0, "a", "(1, 1, 1)", "1.234,50", "12,25"));
  EXPECT_EQ(recording.kernels[0].total_ns, 1234500);
  EXPECT_EQ(metric(recording.kernels[0], metric::kDramRead), 12.25e6);
}

TEST(NcuCsv, a_record_that_was_cut_off_is_left_out_with_a_note) {
  const std::string cut = launch(1, "b", "(1, 1, 1)", "7.00").substr(0, 30);
  const Recording recording = parsed(kHead + launch(0, "a", "(1, 1, 1)", "5.00") + cut);
  ASSERT_EQ(recording.kernels.size(), 1u);
  ASSERT_EQ(recording.notes.size(), 1u);
  EXPECT_NE(recording.notes[0].find("line 4"), std::string::npos) << recording.notes[0];
}

TEST(NcuCsv, the_details_page_of_2020_is_read) {
  const Recording recording = recorded("details_2020.csv");
  ASSERT_EQ(recording.kernels.size(), 1u);
  const RecordedKernel& add = recording.kernels[0];
  EXPECT_EQ(add.total_ns, 142370);
  EXPECT_EQ(metric(add, metric::kMemoryPct), 78.10);
  EXPECT_EQ(metric(add, metric::kComputePct), 17.33);
  EXPECT_EQ(metric(add, metric::kGridSize), 65536);
  EXPECT_DOUBLE_EQ(metric(add, metric::kSharedPerBlock), 4100);
  EXPECT_EQ(add.profile.metrics.get(metric::kAchievedOccupancy), std::nullopt);
  EXPECT_EQ(recording.architecture, "");
}

struct Failure {
  const char* file;
  ErrorCode code;
  const char* words;  // of the message
  const char* hint;
};

TEST(NcuCsv, a_recording_without_counters_says_why_and_what_to_do) {
  for (const Failure& expected :
       {Failure{"denied.txt", ErrorCode::kUnavailable, "ERR_NVGPUCTRPERM",
                "NVreg_RestrictProfilingToAdminUsers=0"},
        Failure{"no_library.txt", ErrorCode::kUnavailable, "LibraryNotLoaded", "driver"},
        Failure{"busy.txt", ErrorCode::kBusy, "driver resource was unavailable", "dcgmi"},
        Failure{"app_failed.txt", ErrorCode::kInvalidInput, "error code (139)", "run it alone"},
        Failure{"no_kernels.txt", ErrorCode::kInvalidInput, "No kernels were profiled",
                "--target-processes all"},
        Failure{"plain.txt", ErrorCode::kInvalidInput, "text for people", "--csv"},
        Failure{"README.md", ErrorCode::kInvalidInput, "no table", "--csv --page raw"}}) {
    const Error error = failure_of(expected.file);
    EXPECT_EQ(error.code, expected.code) << expected.file;
    EXPECT_NE(error.message.find(expected.words), std::string::npos) << error.text();
    EXPECT_NE(error.hint.find(expected.hint), std::string::npos) << error.text();
    EXPECT_NE(error.spot.file.find(expected.file), std::string::npos);
  }
}

TEST(NcuCsv, a_summary_over_launches_is_refused_with_its_line) {
  const auto recording = parse_ncu_csv(
      "x\n\"Process ID\",\"Process Name\",\"Kernel Name\",\"Invocations\",\"Metric Name\"\n",
      "x.csv");
  ASSERT_FALSE(recording);
  EXPECT_EQ(to_string(recording.error().spot), "x.csv:2");
  EXPECT_NE(recording.error().hint.find("--print-summary"), std::string::npos);
}

TEST(NcuCsv, a_missing_file_is_said_to_be_missing) {
  const auto recording = read_ncu_csv("no/such.csv");
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().code, ErrorCode::kNotFound);
}

TEST(ShortName, neither_return_type_nor_parameters_remain) {
  EXPECT_EQ(short_name("add(const float *, int)"), "add");
  EXPECT_EQ(short_name("void tensor<float>(const __half *, T1 *, int)"), "tensor<float>");
  EXPECT_EQ(short_name("void (anonymous namespace)::k<A, (B)2>(void (*)(int), int)"),
            "(anonymous namespace)::k<A, (B)2>");
  EXPECT_EQ(short_name("_Z3addPf"), "_Z3addPf");
  EXPECT_EQ(short_name(""), "");
}

}  // namespace
}  // namespace kp::profile
