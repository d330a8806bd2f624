// SPDX-License-Identifier: Apache-2.0
// Landlock by its system calls: the C library has no functions for it.
#include <dirent.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string_view>

#include "base/descriptor.h"
#include "base/text.h"
#include "device/cuda/worker/lockdown.h"

namespace kp::device::cuda {
namespace {

// Later than the headers of Debian 12; numbers of include/uapi/linux/landlock.h.
constexpr std::uint64_t kAccessTruncate = 1ull << 14, kAccessIoctlDevice = 1ull << 15;
constexpr std::uint64_t kBindTcp = 1ull << 0, kConnectTcp = 1ull << 1;
constexpr std::uint64_t kScopeAbstractSockets = 1ull << 0, kScopeSignals = 1ull << 1;
struct Attributes {
  std::uint64_t files = 0, network = 0, scoped = 0;
};

constexpr std::uint64_t kReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kFirstVersion = (1ull << 13) - 1;  // all rights of ABI 1
constexpr const char* kSystemFolders[] = {"/usr", "/lib", "/lib64", "/etc", "/sys", "/opt/cuda"};
constexpr const char* kNodes[] = {"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"};

int abi() {
  return static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

Attributes all_of(int version) {
  Attributes all{.files = kFirstVersion};
  if (version >= 2) all.files |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) all.files |= kAccessTruncate;
  if (version >= 4) all.network = kBindTcp | kConnectTcp;
  if (version >= 5) all.files |= kAccessIoctlDevice;
  if (version >= 6) all.scoped = kScopeAbstractSockets | kScopeSignals;
  return all;
}

/// What an older kernel does not know must not be passed to it.
std::size_t bytes_of(int version) {
  if (version >= 6) return sizeof(Attributes);
  return (version >= 4 ? 2 : 1) * sizeof(std::uint64_t);
}

class Ruleset {
 public:
  explicit Ruleset(int version) : handled_(all_of(version)) {
    descriptor_ = Descriptor(
        static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled_, bytes_of(version), 0)));
  }
  /// A path that is not there needs no rule.
  void allow(const char* path, std::uint64_t access) const {
    const Descriptor place(::open(path, O_PATH | O_CLOEXEC));
    struct stat status {};
    if (!place.open() || ::fstat(place.number(), &status) != 0) return;
    if (!S_ISDIR(status.st_mode)) access &= ~std::uint64_t{LANDLOCK_ACCESS_FS_READ_DIR};
    const landlock_path_beneath_attr rule{.allowed_access = access & handled_.files,
                                          .parent_fd = place.number()};
    ::syscall(SYS_landlock_add_rule, descriptor_.number(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
  bool enforce() const {
    return descriptor_.open() &&
           ::syscall(SYS_landlock_restrict_self, descriptor_.number(), 0) == 0;
  }

 private:
  Attributes handled_;
  Descriptor descriptor_;
};

void allow_libraries(const Ruleset& rules, const std::vector<std::string>& readable) {
  for (const char* folder : kSystemFolders) rules.allow(folder, kReading);
  for (const std::string& folder : readable) rules.allow(folder.c_str(), kReading);
  const char* libraries = std::getenv("LD_LIBRARY_PATH");
  for (const std::string_view folder : split(libraries != nullptr ? libraries : "", ':')) {
    if (folder.starts_with('/')) rules.allow(std::string(folder).c_str(), kReading);
  }
}

void allow_devices(const Ruleset& rules) {
  constexpr std::uint64_t kUse = kReading | LANDLOCK_ACCESS_FS_WRITE_FILE | kAccessIoctlDevice;
  for (const char* node : kNodes) rules.allow(node, kUse);
  rules.allow("/dev", LANDLOCK_ACCESS_FS_READ_DIR);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/dev"), &::closedir);
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string name = entry->d_name;
    if (name.starts_with("nvidia")) rules.allow(("/dev/" + name).c_str(), kUse);
  }
}

}  // namespace

bool restrict_files(const std::vector<std::string>& readable) {
  const int version = abi();
  if (version < 1) return false;
  const Ruleset rules(version);
  allow_libraries(rules, readable);
  allow_devices(rules);
  // The driver writes the names of its threads, whose folders are not there yet.
  rules.allow("/proc", kReading | LANDLOCK_ACCESS_FS_WRITE_FILE | kAccessTruncate);
  return rules.enforce();
}

}  // namespace kp::device::cuda
