// SPDX-License-Identifier: Apache-2.0
#include "harness/arena.h"

namespace kp::harness {
namespace {

constexpr std::uint64_t kChunk = 32ull << 20;  // bytes
constexpr std::uint64_t kLarge = 4ull << 20;   // such arrays get an allocation of their own
constexpr std::uint64_t kChunkAlignment = 256;

}  // namespace

Arena::~Arena() {
  for (const std::uint64_t chunk : chunks_) buffers_.release(chunk);
}

Result<std::uint64_t> Arena::allocate(std::uint64_t bytes, const std::string& name) {
  if (bytes >= kLarge) {
    KP_TRY(const std::uint64_t address, buffers_.allocate(bytes, name));
    chunks_.push_back(address);
    return address;
  }
  const std::uint64_t size = (bytes + kChunkAlignment - 1) / kChunkAlignment * kChunkAlignment;
  if (end_ - next_ < size) {
    KP_TRY(next_, buffers_.allocate(kChunk, name));
    end_ = next_ + kChunk;
    chunks_.push_back(next_);
  }
  const std::uint64_t address = next_;
  next_ += size;
  return address;
}

}  // namespace kp::harness
