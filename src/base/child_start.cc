// SPDX-License-Identifier: Apache-2.0
#include "base/child_start.h"

#include <fcntl.h>
#include <fmt/format.h>
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

#include "base/text.h"

extern char** environ;

namespace kp {
namespace {

struct Pipe {
  Descriptor read, write;
};

tl::unexpected<Error> start_failure(std::string_view program, std::string_view step, int error) {
  return fail(
      error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
      fmt::format("cannot start {}: {}: {}", program, step, std::strerror(error)),
      error == EMFILE || error == ENFILE ? "raise the limit of open files (ulimit -n)" : "");
}

// `first` is beyond the numbers that the child gets, so that none collides with them.
Result<Pipe> make_pipe(std::string_view program, int first) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return start_failure(program, "pipe", errno);
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  for (Descriptor* end : {&pipe.read, &pipe.write}) {
    if (end->number() < first) *end = Descriptor(::fcntl(end->number(), F_DUPFD_CLOEXEC, first));
    if (!end->open()) return start_failure(program, "pipe", errno);
  }
  return pipe;
}

// Copies of what the child is given, with numbers from `first` on.
Result<std::vector<Descriptor>> copies_of(const ChildSpec& spec, int first) {
  std::vector<Descriptor> copies;
  for (const int number : spec.descriptors) {
    copies.emplace_back(::fcntl(number, F_DUPFD_CLOEXEC, first));
    if (!copies.back().open()) return start_failure(spec.command.front(), "descriptor", errno);
  }
  return copies;
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
  const Descriptor* more;       // become 3, 4, ...
  int more_count;
  int failure;  // errno goes here when exec is not reached
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
  // First of all: Ctrl-C is for the parent, and would end a child that has no handlers any more.
  if (::setpgid(0, 0) != 0) return false;
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
  if (::getppid() != launch.parent) ::_exit(127);
  for (int number = 0; number < 3; ++number) {
    if (::dup2(launch.standard[static_cast<std::size_t>(number)], number) < 0) return false;
  }
  close_others_on_exec();
  for (int i = 0; i < launch.more_count; ++i) {
    if (::dup2(launch.more[i].number(), 3 + i) < 0) return false;
  }
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

// Holds back every signal while it lives: a handler of ours must not run in the vforked child.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// Our numbers of what the child gets.
struct Given {
  std::array<int, 3> standard;
  std::vector<Descriptor> more;
};

pid_t launch_child(const ChildSpec& spec, const Path& program, const Given& given, int failure) {
  const std::vector<std::string> environment = environment_of(spec);
  const std::vector<char*> arguments = pointers(spec.command);
  const std::vector<char*> variables = pointers(environment);
  const SignalsHeld held;
  return spawn({.program = program.c_str(),
                .folder = spec.folder.empty() ? nullptr : spec.folder.c_str(),
                .arguments = arguments.data(),
                .environment = variables.data(),
                .standard = given.standard,
                .more = given.more.data(),
                .more_count = static_cast<int>(given.more.size()),
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

}  // namespace

Result<Path> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (::access(name.c_str(), X_OK) == 0) return Path(name);
    return fail(ErrorCode::kNotFound,
                fmt::format("cannot start {}: {}", name, std::strerror(errno)),
                "check the path and that the file is executable");
  }
  const char* variable = std::getenv("PATH");
  for (const std::string_view folder :
       split(variable != nullptr ? variable : "/usr/bin:/bin", ':')) {
    Path path = Path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (::access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, error))
      return path;
  }
  return fail(ErrorCode::kNotFound, fmt::format("no program {} in PATH", name),
              fmt::format("install {} or add its folder to PATH", name));
}

Result<Path> find_own_program(const std::string& name, const std::string& room) {
  std::vector<Path> folders;
  if (const char* folder = std::getenv("KERNELPRO_LIBEXEC"); folder != nullptr)
    folders.emplace_back(folder);
  const Path program = program_folder();
  folders.insert(folders.end(), {program, program.parent_path() / "libexec/kernelpro",
                                 program.parent_path() / room});
  for (const Path& folder : folders) {
    if (::access((folder / name).c_str(), X_OK) == 0) return folder / name;
  }
  return fail(
      ErrorCode::kUnavailable,
      fmt::format("the program {} is missing; it belongs beside {}", name, program.string()),
      fmt::format("build the target {}, or set KERNELPRO_LIBEXEC to its folder", name));
}

Result<StartedChild> start_child(const ChildSpec& spec) {
  if (spec.command.empty()) return fail(ErrorCode::kInvalidInput, "an empty command cannot be run");
  const std::string& name = spec.command.front();
  KP_TRY(Path program, find_program(name));
  // The child changes its folder before exec: a relative path is meant from ours.
  std::error_code unknown_folder;
  program = std::filesystem::absolute(program, unknown_folder);
  const int first = 3 + static_cast<int>(spec.descriptors.size());
  KP_TRY(Pipe input, make_pipe(name, first));
  KP_TRY(Pipe output, make_pipe(name, first));
  KP_TRY(Pipe errors, make_pipe(name, first));
  KP_TRY(Pipe failure, make_pipe(name, first));
  Given given{{input.read.number(), output.write.number(), errors.write.number()}, {}};
  KP_TRY(given.more, copies_of(spec, first));
  const pid_t pid = launch_child(spec, program, given, failure.write.number());
  if (pid < 0) return start_failure(name, "fork", errno);
  failure.write.close();
  if (const int error = reported_failure(failure.read); error != 0) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    const bool folder = !spec.folder.empty() && !std::filesystem::is_directory(spec.folder);
    return start_failure(name, folder ? spec.folder.string() : program.string(), error);
  }
  return StartedChild{pid, std::move(input.write), std::move(output.read), std::move(errors.read)};
}

}  // namespace kp
