// SPDX-License-Identifier: Apache-2.0
#include "build/sandbox.h"

namespace kp::build {
namespace {

const std::vector<std::string> kNamespaces{
    "bwrap",      "--unshare-all", "--unshare-user",    "--uid",  "65534", "--gid", "65534",
    "--cap-drop", "ALL",           "--die-with-parent", "--proc", "/proc", "--dev", "/dev",
    "--tmpfs",    "/tmp"};

void add_mount(std::vector<std::string>& command, const char* option, const Path& path) {
  command.insert(command.end(), {option, path.string(), path.string()});
}

bool try_sandbox() {
  auto folder = TemporaryFolder::make("kernelpro-jail");
  if (!folder) return false;
  ChildSpec probe{.command = jail_command({.folder = folder->path(), .readable = {}}),
                  .deadline = std::chrono::seconds(5)};
  probe.command.push_back("/bin/true");
  const auto exit = run_child(probe);
  return exit && exit->ok();
}

}  // namespace

std::vector<std::string> jail_command(const Jail& jail) {
  std::vector<std::string> command = kNamespaces;
  for (const char* path :
       {"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives"})
    add_mount(command, "--ro-bind-try", path);
  for (const Path& path : jail.readable) {
    const bool already_there = path.string().starts_with("/usr/");
    if (!already_there) add_mount(command, "--ro-bind-try", path);
  }
  for (const Path& path : jail.devices) add_mount(command, "--dev-bind-try", path);
  if (!jail.folder.empty()) add_mount(command, "--bind", jail.folder);
  command.insert(command.end(),
                 {"--chdir", jail.folder.empty() ? "/tmp" : jail.folder.string(), "--"});
  return command;
}

bool sandbox_works() {
  static const bool works = try_sandbox();
  return works;
}

std::string sandbox_level() {
  return sandbox_works() ? "bubblewrap"
                         : "none: compilers can read this user's files\n"
                           "hint: install bubblewrap and allow unprivileged user namespaces";
}

ChildSpec confined(ChildSpec child, const Jail& jail) {
  child.folder = jail.folder;
  child.environment = {"TMPDIR=" + jail.folder.string(), "HOME=" + jail.folder.string(),
                       "LC_ALL=C"};
  child.inherit_environment = false;
  if (!sandbox_works()) return child;
  std::vector<std::string> command = jail_command(jail);
  command.insert(command.end(), child.command.begin(), child.command.end());
  child.command = std::move(command);
  return child;
}

}  // namespace kp::build
