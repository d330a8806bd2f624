// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/lockdown.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/landlock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <functional>
#include <thread>

#include "base/file.h"

namespace kp::device::cuda {
namespace {

constexpr int kHolds = 0, kFails = 1, kAbsent = 77;  // exit statuses of a child

/// What a child of this process answers: lockdown has no way back.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool readable(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file >= 0) ::close(file);
  return file >= 0;
}
bool creatable(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) ::close(file);
  return file >= 0;
}
bool refused(long result) { return result == -1 && errno == EPERM; }

bool kernel_has_landlock() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

class Landlock : public testing::Test {
 protected:
  void SetUp() override {
    if (!kernel_has_landlock()) GTEST_SKIP() << "this kernel has no Landlock";
    auto made = TemporaryFolder::make();
    ASSERT_TRUE(made.has_value());
    folder_.emplace(*std::move(made));
    std::ofstream(inside("secret")) << "x";
  }
  std::string inside(const char* name) const { return (folder_->path() / name).string(); }
  std::string folder() const { return folder_->path().string(); }
  /// Runs `body` under Landlock and says whether it returned true.
  int locked(const std::vector<std::string>& open, const std::function<bool()>& body) const {
    return in_child([&] {
      if (!limit_process() || !restrict_files(open)) return kAbsent;
      return body() ? kHolds : kFails;
    });
  }

 private:
  std::optional<TemporaryFolder> folder_;
};

TEST_F(Landlock, HidesFilesOutsideOfTheListedFolders) {
  EXPECT_EQ(locked({}, [&] { return !readable(inside("secret")); }), kHolds);
  EXPECT_EQ(locked({folder()}, [&] { return readable(inside("secret")); }), kHolds);
}

TEST_F(Landlock, LetsNothingBeWrittenEvenInReadableFolders) {
  EXPECT_EQ(locked({folder()}, [&] { return !creatable(inside("new")); }), kHolds);
  EXPECT_TRUE(creatable(inside("new")));
}

TEST_F(Landlock, LetsThreadsBeNamedThroughProc) {
  EXPECT_EQ(
      locked({},
             [] {
               bool named = false;
               std::thread([&named] {
                 std::ofstream file("/proc/self/task/" + std::to_string(::gettid()) + "/comm");
                 named = static_cast<bool>(file << "name" << std::flush);
               }).join();
               return named;
             }),
      kHolds);
}

TEST_F(Landlock, LeavesSystemFilesAndSharedMemory) {
  EXPECT_EQ(locked({},
                   [] {
                     return readable("/proc/self/maps") && readable("/etc/passwd") &&
                            ::syscall(SYS_memfd_create, "memory", 0) >= 0;
                   }),
            kHolds);
}

TEST_F(Landlock, StartsNoProgram) {
  EXPECT_EQ(locked({folder(), "/usr", "/bin"},
                   [] {
                     ::execl("/bin/true", "true", nullptr);
                     return errno == EACCES;
                   }),
            kHolds);
}

/// Runs `body` with filtered system calls and says whether it returned true.
int filtered(const std::function<bool()>& body) {
  return in_child([&] {
    if (!limit_process() || !filter_system_calls()) return kAbsent;
    return body() ? kHolds : kFails;
  });
}

TEST(SystemCalls, OfNetworksAreRefused) {
  EXPECT_EQ(filtered([] { return refused(::socket(AF_INET, SOCK_STREAM, 0)); }), kHolds);
  EXPECT_EQ(filtered([] { return refused(::socket(AF_UNIX, SOCK_STREAM, 0)); }), kHolds);
}

TEST(SystemCalls, OnAnOpenSocketStillWork) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  EXPECT_EQ(filtered([&] { return ::send(ends[0], "x", 1, MSG_NOSIGNAL) == 1; }), kHolds);
}

TEST(SystemCalls, ThatReachOtherProcessesAreRefused) {
  const pid_t parent = ::getpid();
  EXPECT_EQ(filtered([&] { return refused(::kill(parent, 0)); }), kHolds);
  EXPECT_EQ(filtered([&] { return refused(::syscall(SYS_ptrace, 16, parent, 0, 0)); }), kHolds);
  EXPECT_EQ(filtered([&] { return refused(::syscall(SYS_kcmp, parent, parent, 0, 0, 0)); }),
            kHolds);
  EXPECT_EQ(filtered([] { return ::kill(::getpid(), 0) == 0; }), kHolds);
}

TEST(SystemCalls, ThatStartProgramsOrNamespacesAreRefused) {
  EXPECT_EQ(filtered([] { return refused(::execl("/bin/true", "true", nullptr)); }), kHolds);
  EXPECT_EQ(filtered([] { return refused(::syscall(SYS_unshare, CLONE_NEWUSER)); }), kHolds);
  EXPECT_EQ(
      filtered([] { return refused(::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)); }),
      kHolds);
}

TEST(SystemCalls, BindThreadsThatRanBefore) {
  EXPECT_EQ(in_child([] {
              int ready[2], go[2];
              if (::pipe(ready) != 0 || ::pipe(go) != 0 || !limit_process()) return kAbsent;
              bool bound = false;
              std::thread earlier([&] {
                char byte = 0;
                if (::write(ready[1], &byte, 1) == 1 && ::read(go[0], &byte, 1) == 1)
                  bound = refused(::socket(AF_INET, SOCK_STREAM, 0));
              });
              char byte = 0;
              const bool runs = ::read(ready[0], &byte, 1) == 1;
              const bool filter = filter_system_calls();
              const bool sent = ::write(go[1], &byte, 1) == 1;
              earlier.join();
              return runs && filter && sent && bound ? kHolds : kFails;
            }),
            kHolds);
}

TEST(SystemCalls, LeaveThreadsPossible) {
  EXPECT_EQ(filtered([] {
              bool ran = false;
              std::thread([&] { ran = true; }).join();
              return ran;
            }),
            kHolds);
}

TEST(Limits, AllowNoCoreDumpAndNoNewPrivileges) {
  EXPECT_EQ(in_child([] {
              rlimit core{1, 1};
              const bool done = limit_process() && ::getrlimit(RLIMIT_CORE, &core) == 0;
              return done && core.rlim_max == 0 && ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1
                         ? kHolds
                         : kFails;
            }),
            kHolds);
}

TEST(Limits, CanHideTheMemory) {
  EXPECT_EQ(
      in_child([] { return hide_memory() && ::prctl(PR_GET_DUMPABLE) == 0 ? kHolds : kFails; }),
      kHolds);
}

}  // namespace
}  // namespace kp::device::cuda
