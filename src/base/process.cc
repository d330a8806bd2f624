// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/text.h"

namespace kp {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kLastPatience{5'000};  // of a destructor

Descriptor open_pidfd(pid_t pid) {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

/// Processes that `pid` has started and not yet reaped.
std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  const auto list = read_file(fmt::format("/proc/{0}/task/{0}/children", pid));
  if (!list) return children;
  for (const std::string_view word : split(trim(*list), ' ')) {
    if (const auto number = parse_integer(word)) children.push_back(static_cast<pid_t>(*number));
  }
  return children;
}

/// Only a number that names the same process before and after it was opened is a child for sure.
bool kill_children(pid_t parent) {
  bool any = false;
  for (const pid_t child : children_of(parent)) {
    const Descriptor handle = open_pidfd(child);
    const std::vector<pid_t> now = children_of(parent);
    if (!handle.open() || std::find(now.begin(), now.end(), child) == now.end()) continue;
    any |= ::syscall(SYS_pidfd_send_signal, handle.number(), SIGKILL, nullptr, 0) == 0;
  }
  return any;
}

bool readable(int descriptor, milliseconds patience) {
  const Clock::time_point end = Clock::now() + patience;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    pollfd watched{descriptor, POLLIN, 0};
    const int ready = ::poll(&watched, 1, std::max(0, static_cast<int>(left.count())));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

void append_what_is_there(const Descriptor& end, std::string& text) {
  std::array<char, 65536> bytes;
  const ssize_t count = end.open() ? ::read(end.number(), bytes.data(), bytes.size()) : 0;
  if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
}

}  // namespace

Process::Process(StartedChild child)
    : child_(Owned(std::move(child))), exit_(open_pidfd(child_.pid)) {
  child_.input.close();
  for (const Descriptor* end : {&child_.output, &child_.error_output})
    ::fcntl(end->number(), F_SETFL, O_NONBLOCK);
}

Result<Process> Process::start(const ChildSpec& spec) {
  KP_TRY(StartedChild child, start_child(spec));
  Process process(std::move(child));
  if (process.exit_.open()) return process;
  return fail(ErrorCode::kUnavailable,
              fmt::format("cannot watch {}: {}", spec.command.front(), std::strerror(errno)),
              "a Linux kernel of 5.3 or later is needed");
}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(child_, other.child_);
  std::swap(exit_, other.exit_);
  std::swap(end_, other.end_);
  return *this;
}

Process::~Process() {
  if (child_.pid < 0 || end_) return;
  kill();
  gone(kLastPatience);
}

std::optional<Process::End> Process::wait(milliseconds patience) {
  if (end_ || child_.pid < 0 || !readable(exit_.number(), patience)) return end_;
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = ::waitpid(child_.pid, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  end_ = End{};
  if (WIFEXITED(status)) end_->code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end_->signal = WTERMSIG(status);
  return end_;
}

void Process::kill() {
  if (end_ || child_.pid < 0 || kill_children(child_.pid)) return;
  ::syscall(SYS_pidfd_send_signal, exit_.number(), SIGKILL, nullptr, 0);
}

bool Process::gone(milliseconds patience) {
  if (child_.pid < 0 || wait(patience)) return true;
  ::kill(-child_.pid, SIGKILL);  // not yet reaped: the number is still its own
  return wait(patience).has_value();
}

std::string Process::text() {
  std::string text;
  append_what_is_there(child_.output, text);
  append_what_is_there(child_.error_output, text);
  return text;
}

}  // namespace kp
