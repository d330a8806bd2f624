// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/child.h"
#include "base/text.h"
#include "build/sandbox.h"
#include "cli/doctor.h"

namespace kp::cli {
namespace {

/// The version of Landlock's interface; below 1: the kernel has none.
long landlock_version() {
  constexpr unsigned kAskVersion = 1;  // LANDLOCK_CREATE_RULESET_VERSION of linux/landlock.h
#ifdef SYS_landlock_create_ruleset
  return syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
#else
  return syscall(444, nullptr, 0, kAskVersion);  // the same number on every architecture
#endif
}

DoctorLine landlock() {
  const long version = landlock_version();
  if (version >= 1) return {"Landlock", true, fmt::format("version {}", version)};
  return {"Landlock", false,
          "absent: without bubblewrap, candidates could read this user's files\n"
          "hint: Linux 5.13 or later with landlock in the list of security modules (lsm=)"};
}

DoctorLine user_namespaces() {
  const auto exit = run_child({.command = {"unshare", "--user", "true"},
                               .inherit_environment = true,
                               .deadline = std::chrono::seconds(5)});
  if (exit && exit->ok()) return {"user namespaces", true, "allowed for this user"};
  return {"user namespaces", false,
          "not allowed: bubblewrap does not work\n"
          "hint: sysctl user.max_user_namespaces above 0 and, on Ubuntu, "
          "kernel.apparmor_restrict_unprivileged_userns=0; in a container, its runtime decides"};
}

DoctorLine system_calls() {
  const auto actions = read_file("/proc/sys/kernel/seccomp/actions_avail");
  const bool there = actions && actions->find("errno") != std::string::npos;
  return {"seccomp", there,
          there ? "system calls of candidates can be filtered"
                : "absent: a kernel with CONFIG_SECCOMP_FILTER has it"};
}

}  // namespace

void add_sandbox(DoctorLines& lines) {
  lines.push_back({"sandbox", build::sandbox_works(),
                   build::sandbox_works()
                       ? "compilers and candidates run in bubblewrap: no network, and only the "
                         "files they need"
                       : build::sandbox_level()});
  lines.push_back(found_or("bubblewrap", find_program("bwrap").value_or(Path()), "",
                           "absent\nhint: install the system's package bubblewrap"));
  lines.push_back(user_namespaces());
  lines.push_back(landlock());
  lines.push_back(system_calls());
}

}  // namespace kp::cli
