// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace kp {
namespace {

namespace fs = std::filesystem;

TemporaryFolder folder() { return std::move(*TemporaryFolder::make("kp-file-test")); }

std::size_t entries(const Path& path) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {}));
}

TEST(File, WritesAndReadsBackAnyBytes) {
  const TemporaryFolder own = folder();
  const Path path = own.path() / "bytes";
  const std::string bytes("a\0b\xff\n", 5);
  ASSERT_TRUE(write_file(path, "old content that is longer"));
  ASSERT_TRUE(write_file(path, bytes));
  EXPECT_EQ(*read_file(path), bytes);
  EXPECT_EQ(entries(own.path()), 1u) << "no temporary file stays behind";
}

TEST(File, ReadsFilesThatStateNoSize) {
  const Result<std::string> status = read_file("/proc/self/status");
  ASSERT_TRUE(status);
  EXPECT_NE(status->find("Pid:"), std::string::npos);
}

TEST(File, MissingFileIsNotFoundAndNamed) {
  const Result<std::string> result = read_file("/nowhere/x.cu");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(result.error().message, "no such file: /nowhere/x.cu");
}

TEST(File, AFolderIsNotAFile) {
  const Result<std::string> result = read_file("/tmp");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kIo);
}

TEST(File, TooLargeAFileIsALimit) {
  const TemporaryFolder own = folder();
  const Path path = own.path() / "five";
  ASSERT_TRUE(write_file(path, "12345"));
  EXPECT_TRUE(read_file(path, 5));
  const Result<std::string> result = read_file(path, 4);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kLimit);
  EXPECT_EQ(read_file("/dev/zero", 1000).error().code, ErrorCode::kLimit);
}

TEST(File, WhatIsNotTextIsRefusedWithItsPlace) {
  const TemporaryFolder own = folder();
  const Path path = own.path() / "text";
  ASSERT_TRUE(write_file(path, "na\u00efve \u20ac \U0001F600\n"));
  EXPECT_TRUE(read_text(path));
  const std::string_view bad[] = {{"ok\nab\0", 6},          "ok\nab\x80",
                                  "ok\nab\xc0\xaf",         "ok\nab\xed\xa0\x80",
                                  "ok\nab\xf4\x90\x80\x80", "ok\nab\xe2\x82"};
  for (const std::string_view bytes : bad) {
    ASSERT_TRUE(write_file(path, bytes));
    const Result<std::string> result = read_text(path);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(result.error().spot, (SourceSpot{path.string(), 2, 3}));
  }
}

TEST(File, WritingNowhereSaysWhichFolderIsMissing) {
  const Result<void> result = write_file("/nowhere/out.txt", "x");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kIo);
  EXPECT_EQ(result.error().message, "cannot write /nowhere/out.txt: there is no folder /nowhere");
}

TEST(File, AReadOnlyFolderIsNamed) {
  // Nobody, root included, may create a file in /sys.
  const Result<void> result = write_file("/sys/out.txt", "x");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kIo);
  EXPECT_EQ(result.error().message,
            "cannot write /sys/out.txt: the folder /sys is read-only for this user");
  EXPECT_FALSE(result.error().hint.empty());
}

TEST(File, AWriteThatDoesNotFitLeavesTheOldContent) {
  const TemporaryFolder own = folder();
  const Path path = own.path() / "kept";
  ASSERT_TRUE(write_file(path, "old"));
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{16, before.rlim_max};
  ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const Result<void> result = write_file(path, std::string(1000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("larger than this process may write"), std::string::npos);
  EXPECT_EQ(*read_file(path), "old");
  EXPECT_EQ(entries(own.path()), 1u);
}

// Mounts a disk of 64 KiB in a namespace of its own. Exit status: 0 the message was right, 1 it was
// not, 2 mounting is not allowed here.
int write_to_full_disk(const Path& disk) {
  const std::string users = "0 " + std::to_string(::geteuid()) + " 1";
  const std::string groups = "0 " + std::to_string(::getegid()) + " 1";
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 2;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << users;
  std::ofstream("/proc/self/gid_map") << groups;
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) return 2;
  const Path path = disk / "out.txt";
  if (!write_file(path, "old")) return 1;
  const Result<void> result = write_file(path, std::string(200'000, 'x'));
  const bool named =
      !result && result.error().message == "cannot write " + path.string() + ": the disk is full";
  return named && *read_file(path) == "old" && entries(disk) == 1 ? 0 : 1;
}

TEST(File, AFullDiskIsNamedAndTheOldContentStays) {
  const TemporaryFolder own = folder();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(write_to_full_disk(own.path()));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "mounting a small disk is not allowed here";
  EXPECT_EQ(status, 0);
}

TEST(Folder, IsMadeWithItsParents) {
  const TemporaryFolder own = folder();
  const Path deep = own.path() / "a" / "b";
  ASSERT_TRUE(make_folder(deep));
  EXPECT_TRUE(make_folder(deep)) << "an existing folder is fine";
  ASSERT_TRUE(write_file(deep / "file", ""));
  EXPECT_FALSE(make_folder(deep / "file"));
}

TEST(Folder, OfTheCacheFollowsTheEnvironment) {
  ::setenv("KERNELPRO_CACHE", "/own", 1);
  EXPECT_EQ(cache_folder(), "/own");
  ::unsetenv("KERNELPRO_CACHE");
  ::setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(cache_folder(), "/xdg/kernelpro");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(cache_folder().filename().string().substr(0, 9), "kernelpro");
  EXPECT_TRUE(fs::exists(program_folder() / "kp_base_test"));
}

TEST(TemporaryFolder, IsRemovedWithAllItHolds) {
  Path path;
  {
    TemporaryFolder own = folder();
    path = own.path();
    ASSERT_TRUE(make_folder(path / "deep"));
    ASSERT_TRUE(write_file(path / "deep" / "file", "x"));
    const TemporaryFolder moved = std::move(own);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace kp
