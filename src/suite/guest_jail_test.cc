// SPDX-License-Identifier: Apache-2.0
#include "suite/guest_jail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/file.h"

namespace kp::suite {
namespace {

/// Sets a variable of this process for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* had = std::getenv(name)) before_ = had;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A folder with bin/g++ in it.
class GuestJail : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = *TemporaryFolder::make("kernelpro-guest-jail-test");
    const Path compiler = folder_->path() / "bin" / "g++";
    std::filesystem::create_directories(compiler.parent_path());
    ASSERT_TRUE(write_file(compiler, "#!/bin/sh\n"));
    std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  }
  std::string root() const { return folder_->path().string(); }
  static ChildSpec confined() {
    return confined_guest({.command = {"/usr/bin/python3", "/share/kernelpro_torch"},
                           .environment = {"HOME=/mine", "CXX=g++"}},
                          "/usr/bin/python3");
  }
  static bool shows(const ChildSpec& child, const std::string& path) {
    return std::ranges::find(child.command, path) != child.command.end();
  }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(GuestJail, ShowsTheCompilerThatTheEnvironmentNames) {
  EXPECT_FALSE(shows(confined(), root()));
  const Variable compiler("CXX", root() + "/bin/g++ -pipe");
  EXPECT_TRUE(shows(confined(), root()));
}

TEST_F(GuestJail, ShowsNoHomeEvenWithACompilerInIt) {
  const Variable compiler("CXX", root() + "/bin/g++"), home("HOME", root());
  EXPECT_FALSE(shows(confined(), root()));
}

TEST_F(GuestJail, GivesTheGuestAnEmptyHomeAndKeepsItsCommandLast) {
  const ChildSpec child = confined();
  EXPECT_EQ(child.command.back(), "/share/kernelpro_torch");
  EXPECT_EQ(std::ranges::count(child.environment, "HOME=/tmp"), 1);
  EXPECT_EQ(std::ranges::count(child.environment, "HOME=/mine"), 0);
  EXPECT_EQ(std::ranges::count(child.environment, "CXX=g++"), 1);
}

}  // namespace
}  // namespace kp::suite
