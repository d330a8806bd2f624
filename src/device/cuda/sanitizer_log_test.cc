// SPDX-License-Identifier: Apache-2.0
// The logs are written after the examples in the manual of compute-sanitizer; none was recorded.
#include "device/cuda/sanitizer_log.h"

#include <gtest/gtest.h>

namespace kp::device::cuda {
namespace {

constexpr std::string_view kMemcheck = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at scale(float *, const float *, int)+0x60 in candidate.cu:7
=========     by thread (31,0,0) in block (3,0,0)
=========     Address 0x7f6510c00400 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f6510c00000 of size 1024 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: [0x2dbc]
=========
========= Invalid __shared__ write of size 4 bytes
=========     at scale(float *, const float *, int):0x90 in candidate.cu:9
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x1 is misaligned
=========
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to "unspecified launch failure" on CUDA API call to cuStreamSynchronize.
=========     Saved host backtrace up to driver entry point at error
=========
========= ERROR SUMMARY: 3 errors
)";

TEST(SanitizerLogTest, MemcheckNamesAccessKernelAndLine) {
  const SanitizerLog log = read_sanitizer_log(kMemcheck);
  ASSERT_EQ(log.findings.size(), 2u);
  EXPECT_EQ(log.findings[0].kind, FaultKind::kMemory);
  EXPECT_EQ(log.findings[0].kernel, "scale(float *, const float *, int)");
  EXPECT_EQ(log.findings[0].spot.file, "candidate.cu");
  EXPECT_EQ(log.findings[0].spot.line, 7);
  EXPECT_EQ(log.findings[1].kind, FaultKind::kMisaligned);
  EXPECT_EQ(log.findings[1].spot.line, 9);
  EXPECT_TRUE(log.complete);
  EXPECT_TRUE(log.complaint.empty()) << log.complaint;
  const Crashed crashed = crash_of(log.findings[0], "memcheck");
  EXPECT_EQ(crashed.kernel, "scale");
  EXPECT_NE(crashed.message.find("memcheck: Invalid __global__ read of size 4 bytes in scale("),
            std::string::npos)
      << crashed.message;
  EXPECT_NE(crashed.message.find("by thread (31,0,0) in block (3,0,0)"), std::string::npos);
}

TEST(SanitizerLogTest, RacesAreErrorsAndWarningsAreNot) {
  const SanitizerLog log = read_sanitizer_log(R"(========= COMPUTE-SANITIZER
========= Warning: Race reported between Read access at other()+0x10 in candidate.cu:3
=========     and Write access at other()+0x20 in candidate.cu:4 [4 hazards]
=========
========= Error: Race reported between Write access at sum(int *, int *)+0x200 in candidate.cu:24
=========     and Read access at sum(int *, int *)+0x4c0 in candidate.cu:36 [508 hazards]
=========
========= RACECHECK SUMMARY: 2 hazards displayed (1 error, 1 warning)
)");
  ASSERT_EQ(log.findings.size(), 1u);
  EXPECT_EQ(log.findings[0].kind, FaultKind::kRace);
  EXPECT_EQ(log.findings[0].kernel, "sum(int *, int *)");
  EXPECT_EQ(log.findings[0].spot.line, 24);
  EXPECT_NE(log.findings[0].detail.find("candidate.cu:36"), std::string::npos);
}

TEST(SanitizerLogTest, UninitialisedReadsAndBarriers) {
  const SanitizerLog log = read_sanitizer_log(R"(========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at add(int *)+0x70 in candidate.cu:18
=========     by thread (65,0,0) in block (0,0,0)
=========     Address 0x7f0000000104
=========
========= Barrier error detected. Divergent thread(s) in warp.
=========     at wait(int *)+0xe0 in candidate.cu:41
=========     by thread (32,0,0) in block (0,0,0)
=========
========= ERROR SUMMARY: 2 errors
)");
  ASSERT_EQ(log.findings.size(), 2u);
  EXPECT_EQ(log.findings[0].kind, FaultKind::kUninitialised);
  EXPECT_EQ(log.findings[1].kind, FaultKind::kBarrier);
  EXPECT_EQ(log.findings[1].spot.line, 41);
}

TEST(SanitizerLogTest, TheToolsOwnTroubleIsNoFinding) {
  const SanitizerLog log = read_sanitizer_log(
      "========= COMPUTE-SANITIZER\n"
      "========= Error: Target application terminated before first instrumented API call\n");
  EXPECT_TRUE(log.findings.empty());
  EXPECT_FALSE(log.complete);
  EXPECT_NE(log.complaint.find("terminated before"), std::string::npos);
}

TEST(SanitizerLogTest, ACleanRunEndsInASummary) {
  const SanitizerLog log =
      read_sanitizer_log("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n");
  EXPECT_TRUE(log.findings.empty());
  EXPECT_TRUE(log.complete);
}

TEST(SanitizerLogTest, AFloodIsCutShort) {
  std::string text = "========= COMPUTE-SANITIZER\n";
  for (int i = 0; i < 5000; ++i)
    text +=
        "========= Invalid __global__ read of size 4 bytes\n=========     at k()+0x1 in a.cu:1\n";
  EXPECT_EQ(read_sanitizer_log(text).findings.size(), 100u);
}

}  // namespace
}  // namespace kp::device::cuda
