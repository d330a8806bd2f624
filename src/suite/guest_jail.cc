// SPDX-License-Identifier: Apache-2.0
#include "suite/guest_jail.h"

#include <algorithm>
#include <cstdlib>

#include "base/child.h"
#include "base/text.h"
#include "build/sandbox.h"
#include "build/toolchain_roots.h"
#include "device/cuda/confinement.h"

namespace kp::suite {
namespace {

constexpr std::uint64_t kFileBytes = 16ull << 30;  // outputs travel in such a file

/// Of an environment of Python, or of the installation that its program is a link to.
void add_prefixes(const Path& python, std::vector<Path>& readable) {
  std::error_code code;
  readable.push_back(python.parent_path().parent_path());
  const Path real = std::filesystem::canonical(python, code);
  if (!code) readable.push_back(real.parent_path().parent_path());
}

/// The folder in which the program that serves guests lies: the last word of how Python is called.
Path program_of(const ChildSpec& child) {
  for (const std::string& word : child.command) {
    if (word.ends_with("kernelpro_torch")) return word;
  }
  return {};
}

/// Names or places of what load_inline and Triton call: the environment's choice comes before PATH.
std::vector<std::string> compilers() {
  std::vector<std::string> names{"cc", "gcc", "c++", "g++", "ninja"};
  for (const char* variable : {"CC", "CXX", "CUDAHOSTCXX"}) {
    const char* value = std::getenv(variable);
    for (const std::string_view word : split(value != nullptr ? value : "", ' ')) {
      if (!word.empty() && !word.starts_with('-')) names.emplace_back(word);
    }
  }
  return names;
}

/// What of it is installed beside the system's. A home is never shown.
void add_compilers(std::vector<Path>& readable) {
  std::error_code code;
  for (const std::string& name : compilers()) {
    const auto found = find_program(name);
    const Path real = found ? std::filesystem::canonical(*found, code) : Path();
    for (const Path& program : {found.value_or(Path()), real}) {
      const Path root = program.parent_path().parent_path();
      const char* home = std::getenv("HOME");
      if (root.string().size() > 1 && (home == nullptr || root != Path(home)))
        readable.push_back(root);
    }
  }
}

void add_toolkits(std::vector<Path>& readable) {
  std::error_code code;
  for (const Path& root : build::toolkit_roots()) {
    if (!std::filesystem::exists(root, code)) continue;
    readable.push_back(root);
    readable.push_back(std::filesystem::canonical(root, code));
  }
}

}  // namespace

Result<std::string> guest_confinement() {
  if (build::sandbox_works()) return std::string("bubblewrap");
  return fail(ErrorCode::kUnavailable,
              "published candidates are programs of others, and nothing can confine them here",
              "install bubblewrap and allow unprivileged user namespaces, or pass --unconfined if "
              "you trust these files as you trust yourself");
}

ChildSpec confined_guest(ChildSpec child, const std::string& python) {
  build::Jail jail{
      .folder = {}, .readable = {"/sys", "/sbin"}, .devices = device::cuda::gpu_nodes()};
  add_prefixes(python, jail.readable);
  add_toolkits(jail.readable);
  add_compilers(jail.readable);
  for (const Path& folder : device::cuda::library_folders()) jail.readable.push_back(folder);
  jail.readable.push_back(program_of(child));
  std::erase_if(jail.readable, [](const Path& path) { return path.empty() || path == "/"; });
  std::vector<std::string> command = build::jail_command(jail);
  command.insert(command.end(), child.command.begin(), child.command.end());
  child.command = std::move(command);
  child.folder = "/";
  // Nobody has this number: programs that look for a name or a home find these.
  for (const char* variable : {"TMPDIR=/tmp", "HOME=/tmp", "USER=guest", "LOGNAME=guest"}) {
    const std::string name(variable, std::string_view(variable).find('=') + 1);
    std::erase_if(child.environment, [&](const auto& had) { return had.starts_with(name); });
    child.environment.emplace_back(variable);
  }
  child.file_bytes = kFileBytes;
  return child;
}

}  // namespace kp::suite
