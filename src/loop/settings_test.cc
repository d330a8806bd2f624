// SPDX-License-Identifier: Apache-2.0
#include "loop/settings.h"

#include <gtest/gtest.h>

namespace kp::loop {
namespace {

class TaskIdentity : public testing::Test {
 protected:
  void SetUp() override {
    task_.path = folder_.path();
    task_.oracle.source = write("reference.cc", "in double");
    task_.oracle.device_source = write("reference.cu", "in double, on the GPU");
    task_.baseline = "a kernel";
    auto meta = to_meta({}, task_);
    ASSERT_TRUE(meta) << meta.error().text();
    meta_ = *std::move(meta);
  }

  Path write(const std::string& name, const std::string& text) {
    const Path path = folder_.path() / name;
    EXPECT_TRUE(write_file(path, text));
    return path;
  }

  void expect_another_task() {
    const auto same = check_same_task(meta_, task_);
    ASSERT_FALSE(same);
    EXPECT_EQ(same.error().code, ErrorCode::kInvalidInput);
    EXPECT_NE(same.error().text().find("restore the task, or start a new run"), std::string::npos)
        << same.error().text();
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  Task task_;
  store::Meta meta_;
};

TEST_F(TaskIdentity, holds_when_files_are_written_again_as_they_were) {
  write("reference.cc", "in double");
  write("reference.cu", "in double, on the GPU");
  const auto same = check_same_task(meta_, task_);
  EXPECT_TRUE(same) << same.error().text();
}

TEST_F(TaskIdentity, notices_an_edit_of_reference_cc) {
  write("reference.cc", "in float");
  expect_another_task();
}

TEST_F(TaskIdentity, notices_an_edit_of_reference_cu) {
  write("reference.cu", "in float, on the GPU");
  expect_another_task();
}

TEST_F(TaskIdentity, notices_a_reference_cu_that_is_gone) {
  task_.oracle.device_source.clear();
  expect_another_task();
}

TEST_F(TaskIdentity, notices_an_edit_of_the_baseline) {
  task_.baseline = "another kernel";
  expect_another_task();
}

}  // namespace
}  // namespace kp::loop
