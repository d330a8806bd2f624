// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>

#include "build/toolchain.h"

namespace kp::build {
namespace {

/// An environment variable for as long as this lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

void put_program(const Path& file) {
  ASSERT_TRUE(make_folder(file.parent_path()));
  ASSERT_TRUE(write_file(file, "#!/bin/sh\n"));
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

TEST(InspectionTools, AreFoundInTheCudaFolderThatTheUserNames) {
  const auto folder = *TemporaryFolder::make();
  put_program(folder.path() / "bin/nvdisasm");
  put_program(folder.path() / "extras/CUPTI/lib64/libcupti.so.13");
  const Variable home("CUDA_HOME", folder.path().string());
  const Variable path("PATH", "/nowhere");
  const InspectionTools found = find_inspection_tools();
  EXPECT_EQ(found.nvdisasm, folder.path() / "bin/nvdisasm");
  EXPECT_EQ(found.cupti, folder.path() / "extras/CUPTI/lib64/libcupti.so.13");
}

TEST(InspectionTools, InPathComeFirst) {
  const auto folder = *TemporaryFolder::make();
  put_program(folder.path() / "bin/nvdisasm");
  put_program(folder.path() / "path/nvdisasm");
  const Variable home("CUDA_HOME", folder.path().string());
  const Variable path("PATH", (folder.path() / "path").string());
  EXPECT_EQ(find_inspection_tools().nvdisasm, folder.path() / "path/nvdisasm");
}

}  // namespace
}  // namespace kp::build
