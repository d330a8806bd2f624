// SPDX-License-Identifier: Apache-2.0
#include "build/ptxas_log.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace kp::build {
namespace {

constexpr const char* kNvccLog =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'pressure' for 'sm_90'\n"
    "ptxas info    : Function properties for pressure\n"
    "    608 bytes stack frame, 728 bytes spill stores, 1052 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 1 barriers, 608 bytes cumulative stack size, 1024 "
    "bytes smem, "
    "368 bytes cmem[0]\n"
    "ptxas info    : Compile time = 6.956 ms\n"
    "ptxas info    : Function properties for _Z1fILi3EEff\n"
    "    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n";

TEST(PtxasLogTest, ReadsNvccsForm) {
  const auto kernels = read_ptxas_log(kNvccLog);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].kernel, "pressure");
  EXPECT_EQ(kernels[0].registers, 32);
  EXPECT_EQ(kernels[0].barriers, 1);
  EXPECT_EQ(kernels[0].static_shared, 1024);
  EXPECT_EQ(kernels[0].stack, 608);
  EXPECT_EQ(kernels[0].spill_stores, 732) << "its callee's spills are its own";
  EXPECT_EQ(kernels[0].spill_loads, 1060);
}

TEST(PtxasLogTest, ReadsNvrtcsFormAndSeveralKernels) {
  const auto kernels = read_ptxas_log(
      "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
      "ptxas info    : Function properties for a\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
      "ptxas info    : Used 20 registers, used 1 barriers, 128 bytes smem\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].registers, 8);
  EXPECT_EQ(kernels[1].kernel, "b");
  EXPECT_EQ(kernels[1].static_shared, 128);
}

TEST(PtxasLogTest, ReadsWhatPtxas13SaidOfEightKernels) {
  const auto log = read_file(KP_SOURCE_DIR "/src/build/testdata/ptxas_13.txt");
  ASSERT_TRUE(log);
  const auto kernels = read_ptxas_log(*log);
  ASSERT_EQ(kernels.size(), 8u);
  const KernelResources& spill = kernels[3];
  EXPECT_EQ(spill.kernel, "_Z5spillPfi");
  EXPECT_EQ(spill.registers, 32);
  EXPECT_EQ(spill.stack, 760);
  EXPECT_EQ(spill.spill_stores, 2048);
  EXPECT_EQ(spill.spill_loads, 2104);
  EXPECT_EQ(kernels[4].barriers, 1);
  EXPECT_EQ(kernels[4].static_shared, 4096);
  EXPECT_EQ(kernels[7].spill_loads, 0) << "of its own, not of the kernel before";
}

TEST(PtxasLogTest, WarningsStayWhenItsOwnLinesGo) {
  const std::string log =
      std::string("c.cu(3): warning #177-D: variable was declared\n") + kNvccLog;
  EXPECT_EQ(without_ptxas_lines(log), "c.cu(3): warning #177-D: variable was declared\n");
  EXPECT_TRUE(
      read_ptxas_log("Compiling entry function ''\nUsed registers\n bytes stack frame").empty());
}

}  // namespace
}  // namespace kp::build
