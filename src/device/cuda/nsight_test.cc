// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nsight.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kp::device::cuda {
namespace {

/// A program of that name in front of PATH.
class Nsight : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = *TemporaryFolder::make("kernelpro-nsight-test");
    before_ = std::getenv("PATH");
    ::setenv("PATH", (folder_->path().string() + ":" + before_).c_str(), 1);
  }
  void TearDown() override { ::setenv("PATH", before_.c_str(), 1); }

  Result<std::string> details(const std::string& script, double seconds = 20) {
    const Path ncu = folder_->path() / "ncu";
    EXPECT_TRUE(write_file(ncu, "#!/bin/sh\n" + script));
    std::filesystem::permissions(ncu, std::filesystem::perms::owner_all);
    WorkerSpec worker;
    worker.program = "/bin/true";
    return nsight_details(worker, {}, seconds);
  }

  std::optional<TemporaryFolder> folder_;
  std::string before_;
};

constexpr const char* kFindsItsLog =
    "while [ $# -gt 1 ]; do [ \"$1\" = --log-file ] && log=$2; shift; done\n";

TEST_F(Nsight, GivesWhatItWroteWhateverItIs) {
  const auto page = details(std::string(kFindsItsLog) + "echo '==ERROR== no' > \"$log\"; exit 1\n");
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_EQ(*page, "==ERROR== no\n");
}

TEST_F(Nsight, SaysHowItEndedWhenItWroteNothing) {
  const auto page = details("echo 'cannot load' >&2; exit 3\n");
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(page.error().message.find("status 3: cannot load"), std::string::npos);
}

TEST_F(Nsight, IsEndedAtItsDeadline) {
  EXPECT_EQ(details("exec sleep 60\n", 0.3).error().code, ErrorCode::kTimeout);
}

}  // namespace
}  // namespace kp::device::cuda
