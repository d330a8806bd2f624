// SPDX-License-Identifier: Apache-2.0
// Without a GPU and without Nsight Compute: a script in its place prints what was recorded.
#include <gtest/gtest.h>

#include <cstdlib>

#include "profile/recording.h"

namespace kp::profile {
namespace {

/// A folder with a program `ncu`, alone in PATH with the system's, until the end of the test.
class FakeNcu {
 public:
  explicit FakeNcu(const std::string& script) : folder_(*TemporaryFolder::make()) {
    if (!script.empty()) {
      const Path program = folder_.path() / "ncu";
      EXPECT_TRUE(write_file(program, "#!/bin/sh\n" + script));
      std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    }
    EXPECT_TRUE(write_file(report(), "NVR\x01 not really"));
    setenv("PATH", (folder_.path().string() + ":/usr/bin:/bin").c_str(), 1);
  }
  ~FakeNcu() { setenv("PATH", path_.c_str(), 1); }
  Path report() const { return folder_.path() / "app.ncu-rep"; }

 private:
  TemporaryFolder folder_;
  std::string path_ = std::getenv("PATH");
};

const std::string kPages =
    "[ \"$1\" = --import ] && [ -f \"$2\" ] && [ \"$3\" = --csv ] && [ \"$6 $7\" = '--print-units "
    "base' ] || exit 9\n"
    "case $5 in raw) cat '" KP_SOURCE_DIR
    "/src/profile/testdata/ncu/raw_base.csv';;\n"
    "details) cat '" KP_SOURCE_DIR "/src/profile/testdata/ncu/details.csv';; esac\n";

TEST(NcuReport, counters_come_from_the_raw_page_and_rules_from_the_details) {
  const FakeNcu ncu(kPages);
  const auto recording = read_ncu_report(ncu.report());
  ASSERT_TRUE(recording) << recording.error().text();
  EXPECT_EQ(recording->kernels.size(), 7u);
  EXPECT_FALSE(recording->rules.empty());
}

TEST(NcuReport, a_report_that_ncu_cannot_read_is_refused_in_its_words) {
  const FakeNcu ncu("echo 'file is from the future' >&2; exit 1\n");
  const auto recording = read_ncu_report(ncu.report());
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(recording.error().message.find("file is from the future"), std::string::npos);
}

TEST(NcuReport, without_ncu_the_error_says_what_to_install) {
  if (std::filesystem::exists("/usr/local/cuda/bin/ncu")) GTEST_SKIP() << "there is an ncu";
  const FakeNcu none("");
  const auto recording = read_ncu_report(none.report());
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(recording.error().hint.find("nsight-compute"), std::string::npos);
}

TEST(NcuReport, a_missing_report_is_said_to_be_missing) {
  const auto recording = read_ncu_report("no/such.ncu-rep");
  ASSERT_FALSE(recording);
  EXPECT_EQ(recording.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kp::profile
