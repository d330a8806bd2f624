// SPDX-License-Identifier: Apache-2.0
#include "profile/trace.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "profile/recorder.h"

namespace kp::profile {
namespace {

// app.txt and app_counts.txt were written by the library in a program of eight kernels on an H200,
// driver 580, CUDA 13.0; the counts hold six metrics of each.
std::string sample(const char* name) {
  return read_text(Path(KP_SOURCE_DIR "/src/profile/testdata/trace") / name).value();
}
Trace app() { return parse_trace(sample("app.txt"), "app").value(); }

const RecordedKernel& kernel_of(const Recording& recording, std::string_view part) {
  for (const RecordedKernel& kernel : recording.kernels) {
    if (kernel.name.find(part) != std::string::npos) return kernel;
  }
  ADD_FAILURE() << part;
  return recording.kernels.front();
}

TEST(Trace, HoldsWhatTheLibraryWrote) {
  const Trace trace = app();
  EXPECT_EQ(trace.device, "NVIDIA H200");
  EXPECT_EQ(trace.architecture, "sm_90");
  EXPECT_EQ(trace.names.size(), 8u);
  EXPECT_EQ(trace.launches.size(), 27u);
  EXPECT_EQ(trace.activity.work.size(), 28u);  // and a fill
  EXPECT_EQ(trace.activity.calls.size(), 32u);
  EXPECT_TRUE(trace.complete);
  EXPECT_EQ(trace.launches[0].grid[0], 65536);
  EXPECT_EQ(trace.launches[0].block[0], 256);
  EXPECT_EQ(trace.launches[0].registers, 16);
}

TEST(Trace, OfAKilledProgramHoldsItsWholeLines) {
  const std::string text = sample("app.txt");
  const auto trace = parse_trace(text.substr(0, text.size() / 2), "app");
  ASSERT_TRUE(trace) << trace.error().text();
  EXPECT_FALSE(trace->complete);
  EXPECT_FALSE(trace->launches.empty());
}

TEST(Trace, RefusesTextThatIsNone) {
  for (const char* text :
       {"", "hello\n", "kernelpro-trace 2\n", "kernelpro-trace 1\nq 1\n",
        "kernelpro-trace 1\nk 0\n",
        "kernelpro-trace 1\nk 0 1 2 0 7 1 1 1 32 1 1 16 0 0 0 0\n",  // no name 0
        "kernelpro-trace 1\nn 1 a\n", "kernelpro-trace 1\nf 5 4\n", "kernelpro-trace 1\nf -1 4\n",
        "kernelpro-trace 1\nf 1 99999999999999999999\n", "kernelpro-trace 1\na z 1 2 3\n",
        "kernelpro-trace 1\nc 1 2 3 q 0\n", "kernelpro-trace 1\n\n"}) {
    const auto trace = parse_trace(text, "odd");
    ASSERT_FALSE(trace) << text;
    EXPECT_EQ(trace.error().code, ErrorCode::kCorrupt) << text;
  }
}

TEST(Trace, NamesTheLineThatIsWrong) {
  const auto trace = parse_trace("kernelpro-trace 1\nf 1 2\nbad\n", "odd");
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("odd:3"), std::string::npos) << trace.error().message;
}

TEST(Counts, KeepWhatIsFinite) {
  const auto counts = parse_counts("kernelpro-counts 1\nk 2\nv a 1.5\nv b nan\nx no\n", "c");
  ASSERT_TRUE(counts) << counts.error().text();
  EXPECT_EQ(counts->launches.at(2), (std::map<std::string, double>{{"a", 1.5}}));
  EXPECT_EQ(counts->notes, std::vector<std::string>{"no"});
  EXPECT_FALSE(parse_counts("kernelpro-counts 1\nv a 1\n", "c"));  // of no kernel
  EXPECT_FALSE(parse_counts("kernelpro-counts 1\nk 0\nv a b\n", "c"));
}

TEST(Recorder, OrdersKernelsByTheirShareOfTime) {
  const Recording recording = recording_of(app());
  ASSERT_EQ(recording.kernels.size(), 8u);
  EXPECT_EQ(recording.source, "cupti");
  EXPECT_EQ(recording.kernels[0].name, "spill(float*, int)");
  EXPECT_NEAR(recording.kernels[0].profile.share, 0.566, 0.001);
  const RecordedKernel& tiny = kernel_of(recording, "tiny");
  EXPECT_EQ(tiny.launches, 20);
  EXPECT_EQ(tiny.profile.metrics.get(metric::kDuration), 736);
  EXPECT_EQ(tiny.profile.metrics.get(metric::kBlockSize), 32);
  EXPECT_EQ(kernel_of(recording, "conflict").profile.metrics.get(metric::kSharedPerBlock), 4096);
  double shares = 0;
  for (const RecordedKernel& kernel : recording.kernels) shares += kernel.profile.share;
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_TRUE(recording.notes.empty());
}

TEST(Recorder, AsksForKernelsThatMatterAtTheirMedianLaunch) {
  const std::string request = count_request(app());
  EXPECT_NE(request.find("m dram__bytes_read.sum\n"), std::string::npos);
  EXPECT_NE(request.find("k 0 16384 1 1 1024 1 1 _Z5spillPfi\n"), std::string::npos);
  EXPECT_EQ(request.find("tiny"), std::string::npos);  // 0.05 % of the time
}

TEST(Recorder, NeverAsksForWhatGraphsLaunch) {
  const Trace trace =
      parse_trace("kernelpro-trace 1\nn 0 a\nk 0 1 9 0 7 1 1 1 32 1 1 16 0 0 0 1\ne 0\n", "g")
          .value();
  EXPECT_EQ(count_request(trace), "");
  EXPECT_EQ(recording_of(trace).kernels.size(), 1u);
}

TEST(Recorder, BringsCountsToTheirKernels) {
  const Trace trace = app();
  Recording recording = recording_of(trace);
  add_counts(trace, parse_counts(sample("app_counts.txt"), "c").value(), recording);
  const MetricSet& hist = kernel_of(recording, "hist").profile.metrics;
  EXPECT_EQ(hist.get(metric::kGlobalLoadSectors), 2097152);
  EXPECT_EQ(hist.find(metric::kGlobalLoadSectors.name)->grade, Grade::kMeasured);
  // The time of the launch itself, not of its repetition under the profiler.
  EXPECT_EQ(hist.get(metric::kDuration), 12'293'075);
  EXPECT_FALSE(hist.get(metric::kDramWrite));
}

TEST(Recorder, BringsMachineCodeToTheKernelOfItsWholeName) {
  const Trace trace = app();
  Recording recording = recording_of(trace);
  SassFunction spill{.name = "_Z5spillPfi", .architecture = "sm_90", .code = {}};
  spill.code.push_back({.address = 0, .opcode = "STL", .operands = "[R1], R2"});
  spill.code.push_back({.address = 16, .opcode = "EXIT"});
  SassFunction other{.name = "_Z5spillPfj", .architecture = "sm_90", .code = spill.code};
  add_code(trace, {other}, recording);
  EXPECT_FALSE(kernel_of(recording, "spill").profile.metrics.get(metric::kSassInst));
  add_code(trace, {other, spill}, recording);
  const MetricSet& metrics = kernel_of(recording, "spill").profile.metrics;
  EXPECT_EQ(metrics.get(metric::kSassInst), 2);
  EXPECT_EQ(metrics.find(metric::kSassInst.name)->grade, Grade::kStatic);
  EXPECT_FALSE(kernel_of(recording, "hist").profile.metrics.get(metric::kSassInst));
}

TEST(Recorder, SaysWhichKernelsTheSecondRunDidNotShow) {
  const Trace trace = app();
  Recording recording = recording_of(trace);
  add_counts(trace, {.launches = {}, .notes = {"counters are forbidden"}}, recording);
  ASSERT_EQ(recording.notes.size(), 2u);
  EXPECT_EQ(recording.notes[0], "counters are forbidden");
}

TEST(Recorder, NotesWhatIsMissing) {
  Trace trace = app();
  trace.dropped = 5;
  trace.complete = false;
  EXPECT_EQ(recording_of(trace).notes.size(), 2u);
}

}  // namespace
}  // namespace kp::profile
