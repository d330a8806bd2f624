// SPDX-License-Identifier: Apache-2.0
#include "store/claim.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace kp::store {
namespace {

struct flock byte_of(int proposal) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = proposal;
  lock.l_len = 1;
  return lock;
}

Path file_in(const Path& folder) { return folder / "run.claims"; }

}  // namespace

// Locks of the open file, not of the process: two claims in one process exclude each other too, and
// closing another descriptor of the file drops nothing.
Result<std::optional<Claim>> Claim::take(const Path& folder, int proposal) {
  const Path path = file_in(folder);
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  struct flock lock = byte_of(proposal);
  if (file.open() && fcntl(file.number(), F_OFD_SETLK, &lock) == 0) {
    return std::optional(Claim(std::move(file)));
  }
  if (file.open() && (errno == EAGAIN || errno == EACCES)) return std::optional<Claim>{};
  return fail(ErrorCode::kIo, fmt::format("cannot lock {}: {}", path.string(), strerror(errno)),
              "check that the run folder can be written and is on a local disk");
}

bool Claim::held(const Path& folder, int proposal) {
  const Descriptor file(::open(file_in(folder).c_str(), O_RDWR | O_CLOEXEC));
  struct flock lock = byte_of(proposal);
  return file.open() && fcntl(file.number(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace kp::store
