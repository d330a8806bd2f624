// SPDX-License-Identifier: Apache-2.0
// Many small arrays in few allocations: a contest of a small kernel has hundreds of them, and the
// memory of a GPU is mapped in large pages. Arrays in one chunk are kept apart by their canaries.
#pragma once
#include <vector>

#include "device/device.h"

namespace kp::harness {

class Arena : public device::Buffers {
 public:
  explicit Arena(device::Buffers& buffers) : buffers_(buffers) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() override;

  Result<std::uint64_t> allocate(std::uint64_t bytes, const std::string& name) override;
  /// Memory comes back with the arena.
  void release(std::uint64_t) override {}
  Result<void> write(std::uint64_t address, std::span<const std::byte> bytes) override {
    return buffers_.write(address, bytes);
  }
  Result<void> read(std::uint64_t address, std::span<std::byte> bytes) override {
    return buffers_.read(address, bytes);
  }
  Result<void> poison(std::uint64_t address, std::span<const std::byte> bytes) override {
    return buffers_.poison(address, bytes);
  }
  std::optional<std::uint64_t> first_undefined(std::uint64_t address,
                                               std::uint64_t bytes) override {
    return buffers_.first_undefined(address, bytes);
  }

 private:
  device::Buffers& buffers_;
  std::vector<std::uint64_t> chunks_;
  std::uint64_t next_ = 0, end_ = 0;  // of the newest chunk
};

}  // namespace kp::harness
