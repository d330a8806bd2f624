// SPDX-License-Identifier: Apache-2.0
#include "base/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/descriptor.h"
#include "base/text.h"

extern char** environ;

namespace kp {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  Descriptor read, write;
};

tl::unexpected<Error> start_failure(std::string_view program, std::string_view step, int error) {
  return fail(
      error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
      fmt::format("cannot start {}: {}: {}", program, step, std::strerror(error)),
      error == EMFILE || error == ENFILE ? "raise the limit of open files (ulimit -n)" : "");
}

Result<Pipe> make_pipe(std::string_view program) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return start_failure(program, "pipe", errno);
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  // Numbers above 2 never collide with the three that the child gets.
  for (Descriptor* end : {&pipe.read, &pipe.write}) {
    if (end->number() <= 2) *end = Descriptor(::fcntl(end->number(), F_DUPFD_CLOEXEC, 3));
    if (!end->open()) return start_failure(program, "pipe", errno);
  }
  return pipe;
}

Result<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (::access(name.c_str(), X_OK) == 0) return name;
    return fail(ErrorCode::kNotFound,
                fmt::format("cannot start {}: {}", name, std::strerror(errno)),
                "check the path and that the file is executable");
  }
  const char* variable = std::getenv("PATH");
  for (const std::string_view folder :
       split(variable != nullptr ? variable : "/usr/bin:/bin", ':')) {
    std::string path = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    std::error_code error;
    if (::access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, error))
      return path;
  }
  return fail(ErrorCode::kNotFound, fmt::format("no program {} in PATH", name),
              fmt::format("install {} or add its folder to PATH", name));
}

std::vector<std::string> environment_of(const ChildSpec& spec) {
  std::vector<std::string> all = spec.environment;
  const auto add = [&](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    const bool given = std::any_of(all.begin(), all.end(),
                                   [&](const std::string& own) { return own.starts_with(name); });
    if (!given) all.emplace_back(variable);
  };
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (spec.inherit_environment || std::string_view(*variable).starts_with("PATH="))
      add(*variable);
  }
  return all;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

// All that the child needs between vfork and exec. It shares our memory until exec, so it only
// reads this and makes system calls.
struct Launch {
  const char* program;
  const char* folder;  // null: stay
  char* const* arguments;
  char* const* environment;
  std::array<int, 3> standard;  // become 0, 1, 2
  int failure;                  // errno goes here when exec is not reached
  rlim_t memory_bytes, file_bytes;
  pid_t parent;
};

bool limit(__rlimit_resource resource, rlim_t value) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return false;
  const rlim_t allowed = std::min(value, now.rlim_max);
  const rlimit wanted{allowed, allowed};
  return ::setrlimit(resource, &wanted) == 0;
}

void close_others_on_exec() {
#ifdef SYS_close_range
  constexpr unsigned kCloseOnExec = 1u << 2;
  if (::syscall(SYS_close_range, 3u, ~0u, kCloseOnExec) == 0) return;
#endif
  constexpr int kMostDescriptors = 65536;  // kernels before 5.11
  for (int number = 3; number < kMostDescriptors; ++number) ::fcntl(number, F_SETFD, FD_CLOEXEC);
}

bool prepare_child(const Launch& launch) {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::setpgid(0, 0) != 0 || ::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
  if (::getppid() != launch.parent) ::_exit(127);
  for (int number = 0; number < 3; ++number) {
    if (::dup2(launch.standard[static_cast<std::size_t>(number)], number) < 0) return false;
  }
  close_others_on_exec();
  if (launch.folder != nullptr && ::chdir(launch.folder) != 0) return false;
  if (launch.memory_bytes != 0 && !limit(RLIMIT_AS, launch.memory_bytes)) return false;
  return limit(RLIMIT_FSIZE, launch.file_bytes) && limit(RLIMIT_CORE, 0);
}

// vfork, because copying the page tables of a process that holds gigabytes of buffers is slow. It
// stands in a function of its own: nothing of the caller lives in a register across it.
[[gnu::noinline]] pid_t spawn(const Launch& launch) {
  const pid_t pid = ::vfork();
  if (pid != 0) return pid;
  if (prepare_child(launch)) ::execve(launch.program, launch.arguments, launch.environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(launch.failure, &error, sizeof error);
  ::_exit(127);
}

// Holds back signals in this thread: `all` while forking, or SIGPIPE while writing to the child.
class SignalsHeld {
 public:
  explicit SignalsHeld(bool all) {
    sigset_t held;
    all ? ::sigfillset(&held) : ::sigemptyset(&held);
    ::sigaddset(&held, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

pid_t start_child(const ChildSpec& spec, const std::string& program,
                  const std::array<int, 3>& standard, int failure) {
  const std::vector<std::string> environment = environment_of(spec);
  const std::vector<char*> arguments = pointers(spec.command);
  const std::vector<char*> variables = pointers(environment);
  const SignalsHeld held(true);
  return spawn({.program = program.c_str(),
                .folder = spec.folder.empty() ? nullptr : spec.folder.c_str(),
                .arguments = arguments.data(),
                .environment = variables.data(),
                .standard = standard,
                .failure = failure,
                .memory_bytes = spec.memory_bytes,
                .file_bytes = spec.file_bytes,
                .parent = ::getpid()});
}

// 0 once the program runs (exec closed the other end), else the errno of the step that failed.
int reported_failure(const Descriptor& end) {
  int error = 0;
  while (::read(end.number(), &error, sizeof error) < 0 && errno == EINTR) {
  }
  return error;
}

// Sends on what the pipe accepts now; closes it at the end or when the child stopped reading.
void feed(Descriptor& end, std::string_view& rest) {
  const SignalsHeld held(false);
  const ssize_t count = ::write(end.number(), rest.data(), rest.size());
  if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  if (count < 0 && errno == EPIPE) {
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    const timespec now{};
    ::sigtimedwait(&pipe, nullptr, &now);
  }
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

// A started child until it is reaped. Destruction leaves neither it nor its group behind.
class Running {
 public:
  Running(pid_t pid, const ChildSpec& spec, std::array<Descriptor, 3> ends)
      : pid_(pid), spec_(spec), ends_(std::move(ends)), rest_(spec.input) {
    for (const Descriptor& end : ends_) ::fcntl(end.number(), F_SETFL, O_NONBLOCK);
#ifdef SYS_pidfd_open
    exit_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
#endif
  }

  ChildExit finish(Clock::time_point start) {
    if (rest_.empty()) ends_[0].close();
    while (!exited()) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(start + spec_.deadline - Clock::now());
      if (left.count() <= 0) {
        result_.timed_out = true;
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
    left = std::min(left, std::chrono::milliseconds(60'000));
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
  if (spec.command.empty()) return fail(ErrorCode::kInvalidInput, "an empty command cannot be run");
  const std::string& name = spec.command.front();
  KP_TRY(const std::string program, find_program(name));
  KP_TRY(Pipe input, make_pipe(name));
  KP_TRY(Pipe output, make_pipe(name));
  KP_TRY(Pipe errors, make_pipe(name));
  KP_TRY(Pipe failure, make_pipe(name));
  const Clock::time_point start = Clock::now();
  const std::array<int, 3> standard{input.read.number(), output.write.number(),
                                    errors.write.number()};
  const pid_t pid = start_child(spec, program, standard, failure.write.number());
  if (pid < 0) return start_failure(name, "fork", errno);
  for (Descriptor* end : {&input.read, &output.write, &errors.write, &failure.write}) end->close();
  Running running(pid, spec,
                  {std::move(input.write), std::move(output.read), std::move(errors.read)});
  const int error = reported_failure(failure.read);
  ChildExit exit = running.finish(start);
  if (error != 0) {
    const bool folder = !spec.folder.empty() && !std::filesystem::is_directory(spec.folder);
    return start_failure(name, folder ? spec.folder.string() : program, error);
  }
  return exit;
}

}  // namespace kp
