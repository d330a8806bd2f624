// SPDX-License-Identifier: Apache-2.0
// Memory of the virtual GPU as Buffers. Used by vgpu.cc.
#pragma once
#include "device/device.h"
#include "vgpu/memory.h"

namespace kp::device {

/// Poison needs to know which bytes are defined, and only check mode follows that through a kernel:
/// what a faster mode leaves behind counts as defined.
class VgpuBuffers : public Buffers {
 public:
  explicit VgpuBuffers(std::uint64_t limit_bytes) : memory_(limit_bytes) {}

  Result<std::uint64_t> allocate(std::uint64_t bytes, const std::string& name) override {
    return memory_.allocate(bytes, name);
  }
  void release(std::uint64_t address) override { memory_.release(address); }
  Result<void> write(std::uint64_t address, std::span<const std::byte> bytes) override {
    memory_.write(address, bytes);
    return {};
  }
  Result<void> read(std::uint64_t address, std::span<std::byte> bytes) override {
    memory_.read(address, bytes);
    return {};
  }
  Result<void> poison(std::uint64_t address, std::span<const std::byte> bytes) override {
    follow_definedness(true);
    memory_.poison(address, bytes);
    return {};
  }
  std::optional<std::uint64_t> first_undefined(std::uint64_t address,
                                               std::uint64_t bytes) override {
    const std::optional<std::uint64_t> found = memory_.first_undefined(address, bytes);
    return found ? std::optional(*found - address) : std::nullopt;
  }

  void follow_definedness(bool on) {
    if (memory_.shadows() != on) memory_.set_shadows(on);
  }
  vgpu::Memory& memory() { return memory_; }

 private:
  vgpu::Memory memory_;
};

}  // namespace kp::device
