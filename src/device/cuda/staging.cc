// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/staging.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "device/cuda/protocol.h"

namespace kp::device::cuda {
namespace {

tl::unexpected<Error> no_memory(const char* step) {
  return fail(ErrorCode::kLimit, fmt::format("no shared memory for the GPU's process: {}: {}", step,
                                             std::strerror(errno)));
}

}  // namespace

Result<Staging> Staging::make() {
  Descriptor file(::memfd_create("kernelpro-staging", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.open()) return no_memory("memfd_create");
  if (::ftruncate(file.number(), static_cast<off_t>(kStagingBytes)) != 0)
    return no_memory("ftruncate");
  if (::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return no_memory("seal");
  return Staging(std::move(file));
}

Staging::Staging(Staging&& other) noexcept
    : file_(std::move(other.file_)), bytes_(std::exchange(other.bytes_, {})) {}

Staging& Staging::operator=(Staging&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Staging::~Staging() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

Result<std::span<std::byte>> Staging::bytes() {
  if (!bytes_.empty()) return bytes_;
  void* mapped =
      ::mmap(nullptr, kStagingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number(), 0);
  if (mapped == MAP_FAILED) return no_memory("mmap");
  bytes_ = {static_cast<std::byte*>(mapped), kStagingBytes};
  return bytes_;
}

}  // namespace kp::device::cuda
