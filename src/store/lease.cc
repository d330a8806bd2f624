// SPDX-License-Identifier: Apache-2.0
#include "store/lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace kp::store {
namespace {

/// The process number that the holder left in the file; only for the message.
std::string holder_of(int descriptor) {
  char text[32] = {};
  const auto size = pread(descriptor, text, sizeof text - 1, 0);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : "unknown";
}

Result<void> sign(int descriptor) {
  const std::string pid = std::to_string(getpid());
  if (ftruncate(descriptor, 0) == 0 &&
      pwrite(descriptor, pid.data(), pid.size(), 0) == static_cast<ssize_t>(pid.size())) {
    return {};
  }
  return fail(ErrorCode::kIo, fmt::format("cannot write run.lock: {}", strerror(errno)),
              "check that the run folder can be written, and that the disk is not full");
}

Result<int> open_lock(const Path& folder) {
  const Path file = folder / "run.lock";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor >= 0) return descriptor;
  return fail(ErrorCode::kIo, fmt::format("cannot open {}: {}", file.string(), strerror(errno)),
              "check that the run folder exists and can be written");
}

tl::unexpected<Error> driven(const Path& folder, const std::string& holder) {
  return fail(ErrorCode::kBusy,
              fmt::format("the run {} is being driven by process {}", folder.string(), holder),
              "wait for it to end, or stop it with Ctrl-C, then use `kernelpro resume`");
}

}  // namespace

Result<Lease> Lease::take(const Path& folder) {
  KP_TRY(const int descriptor, open_lock(folder));
  Lease lease(descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    KP_TRY_VOID(sign(descriptor));
    return lease;
  }
  const std::string holder = holder_of(descriptor);
  const bool shared = flock(descriptor, LOCK_SH | LOCK_NB) == 0;
  if (!shared) return driven(folder, holder);
  return fail(ErrorCode::kBusy,
              fmt::format("the run {} is in use by process {}", folder.string(), holder),
              "wait until ask, tell and work have ended");
}

Result<Lease> Lease::share(const Path& folder) {
  KP_TRY(const int descriptor, open_lock(folder));
  Lease lease(descriptor);
  if (flock(descriptor, LOCK_SH | LOCK_NB) != 0) return driven(folder, holder_of(descriptor));
  KP_TRY_VOID(sign(descriptor));
  return lease;
}

Lease::Lease(Lease&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
Lease& Lease::operator=(Lease&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}
Lease::~Lease() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace kp::store
