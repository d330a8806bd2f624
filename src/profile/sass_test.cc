// SPDX-License-Identifier: Apache-2.0
// A script stands in for nvdisasm: it prints what the real one printed (testdata/sass).
#include "profile/sass.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kp::profile {
namespace {

const std::string kCubin = std::string("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\xbe\0", 20) + "...";

/// A folder first in PATH that holds `nvdisasm`.
class SassTest : public testing::Test {
 protected:
  SassTest() { setenv("PATH", (folder_.path().string() + ":/usr/bin:/bin").c_str(), 1); }
  ~SassTest() override { setenv("PATH", path_.c_str(), 1); }

  void put_disassembler(const std::string& script) {
    const Path tool = folder_.path() / "nvdisasm";
    EXPECT_TRUE(write_file(tool, "#!/bin/sh\n" + script));
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  }
  void put_recording() {
    std::filesystem::copy_file(KP_SOURCE_DIR "/src/profile/testdata/sass/nvdisasm.txt",
                               folder_.path() / "recorded.txt");
    put_disassembler("exec cat \"${0%/*}/recorded.txt\"\n");
  }
  MetricSet collected(const std::string& kernel, const std::string& id) {
    const build::Binary binary{.id = id, .cubin = kCubin};
    Profile profile{.kernels = {{.kernel = kernel}}};
    EXPECT_TRUE(source_->collect({binary, device_, steps_, timing_, "w"}, profile));
    return profile.kernels[0].metrics;
  }

  std::string path_ = std::getenv("PATH");
  TemporaryFolder folder_ = *TemporaryFolder::make();
  std::unique_ptr<Source> source_ = sass_source();
  device::Description device_;
  std::vector<device::BoundStep> steps_;
  device::TimeReport timing_;
};

TEST_F(SassTest, AddsTheCensusOfEachKernel) {
  put_recording();
  EXPECT_TRUE(source_->serves(device_));
  const MetricSet metrics = collected("_Z6matmulPKfS0_Pfi", "a");
  EXPECT_EQ(metrics.get(metric::kSassInnerFma), 21);
  EXPECT_EQ(metrics.find(metric::kSassInst.name)->grade, Grade::kStatic);
  EXPECT_TRUE(collected("another", "a").all().empty());
}

TEST_F(SassTest, DisassemblesABinaryOnce) {
  put_recording();
  EXPECT_FALSE(collected("_Z3addPKfS0_Pfi", "b").all().empty());
  put_disassembler("exit 1\n");
  EXPECT_FALSE(collected("_Z3addPKfS0_Pfi", "b").all().empty());
  EXPECT_TRUE(collected("_Z3addPKfS0_Pfi", "c").all().empty());
}

TEST_F(SassTest, LeavesMetricsUnknownWhenTheDisassemblerFails) {
  for (const char* script :
       {"echo 'nvdisasm fatal: not a cubin' >&2\nexit 1\n", "echo nothing\n"}) {
    put_disassembler(script);
    EXPECT_TRUE(collected("k", "").all().empty());
  }
}

TEST_F(SassTest, ReadsAFileThatTheUserNames) {
  put_recording();
  ASSERT_TRUE(write_file(folder_.path() / "k.cubin", kCubin));
  const auto functions = disassemble(folder_.path() / "k.cubin");
  ASSERT_TRUE(functions) << functions.error().text();
  EXPECT_EQ(functions->size(), 6u);
  EXPECT_EQ(disassemble(folder_.path() / "absent").error().code, ErrorCode::kNotFound);
}

TEST_F(SassTest, QuotesTheDisassembler) {
  put_disassembler("echo 'nvdisasm fatal   : Memory is short' >&2\nexit 1\n");
  ASSERT_TRUE(write_file(folder_.path() / "k.cubin", kCubin));
  const auto functions = disassemble(folder_.path() / "k.cubin");
  ASSERT_FALSE(functions);
  EXPECT_NE(functions.error().message.find("Memory is short"), std::string::npos);
}

}  // namespace
}  // namespace kp::profile
