// SPDX-License-Identifier: Apache-2.0
#include "base/child.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "base/child_start.h"
#include "base/descriptor.h"
#include "base/pipe_signal.h"

namespace kp {
namespace {

using Clock = std::chrono::steady_clock;

// Sends on what the pipe accepts now; closes it at the end or when the child stopped reading.
void feed(Descriptor& end, std::string_view& rest) {
  const PipeSignalHeld held;
  const ssize_t count = ::write(end.number(), rest.data(), rest.size());
  if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  const bool broken = count < 0 && errno != EAGAIN && errno != EINTR;
  if (rest.empty() || broken) end.close();
}

// Takes what is there, at most a full pipe, and keeps up to `most`; closes the end at its end.
void drain(Descriptor& end, std::string& kept, std::uint64_t most) {
  constexpr int kReads = 16;  // 16 x 64 KiB: the largest pipe; a busy writer must not hold us here
  std::array<char, 65536> bytes;
  for (int i = 0; i < kReads && end.open(); ++i) {
    const ssize_t count = ::read(end.number(), bytes.data(), bytes.size());
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) end.close();
    const std::uint64_t room = most - std::min<std::uint64_t>(most, kept.size());
    if (count > 0) kept.append(bytes.data(), std::min(static_cast<std::uint64_t>(count), room));
  }
}

// A started child until it is reaped.
class Running {
 public:
  Running(StartedChild child, const ChildSpec& spec)
      : pid_(child.pid),
        spec_(spec),
        ends_{std::move(child.input), std::move(child.output), std::move(child.error_output)},
        rest_(spec.input) {
    for (const Descriptor& end : ends_) ::fcntl(end.number(), F_SETFL, O_NONBLOCK);
#ifdef SYS_pidfd_open
    exit_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
#endif
  }

  ChildExit finish(Clock::time_point start) {
    constexpr std::chrono::milliseconds kLongest = std::chrono::years(1);
    const Clock::time_point end = start + std::min(spec_.deadline, kLongest);
    if (rest_.empty()) ends_[0].close();
    while (!exited()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
      if (left.count() <= 0) {
        result_.timed_out = true;
        break;
      }
      if (spec_.stop && spec_.stop->requested()) {
        result_.stopped = true;
        break;
      }
      wait(left);
    }
    reap();
    result_.wall = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
    return std::move(result_);
  }

 private:
  bool exited() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }

  void wait(std::chrono::milliseconds left) {
    constexpr std::chrono::milliseconds kWithoutPidfd{10};
    if (!exit_.open()) left = std::min(left, kWithoutPidfd);
    // A flag cannot wake us: it is looked at between two waits.
    constexpr std::chrono::milliseconds kBetweenLooks{100}, kLongestWait{60'000};
    left = std::min(left, spec_.stop ? kBetweenLooks : kLongestWait);
    // poll ignores entries with a negative number.
    std::array<pollfd, 4> watched{{{ends_[0].number(), POLLOUT, 0},
                                   {ends_[1].number(), POLLIN, 0},
                                   {ends_[2].number(), POLLIN, 0},
                                   {exit_.number(), POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), static_cast<int>(left.count())) <= 0) return;
    if (watched[0].revents != 0) feed(ends_[0], rest_);
    read_outputs();
  }

  void read_outputs() {
    drain(ends_[1], result_.output, spec_.output_bytes);
    drain(ends_[2], result_.error_output, spec_.output_bytes);
  }

  // The group is killed before its leader is reaped: until then the number cannot be reused.
  void reap() {
    ::kill(-pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    read_outputs();
    if (WIFEXITED(status)) result_.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
  }

  pid_t pid_;
  const ChildSpec& spec_;
  std::array<Descriptor, 3> ends_;  // the child's standard input, output, error
  Descriptor exit_;                 // becomes readable when the child ends
  std::string_view rest_;
  ChildExit result_;
};

}  // namespace

Result<ChildExit> run_child(const ChildSpec& spec) {
  const Clock::time_point start = Clock::now();
  KP_TRY(StartedChild child, start_child(spec));
  return Running(std::move(child), spec).finish(start);
}

}  // namespace kp
