// SPDX-License-Identifier: Apache-2.0
// Device memory of the virtual GPU: allocations in one reserved range, with unmapped gaps between
// them, so that a stray address is a fault and never the host's memory.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace kp::vgpu {

/// Device addresses are distinct from host addresses and from the shared and local windows.
inline constexpr std::uint64_t kGlobalWindow = 0x7000'0000'0000;
inline constexpr std::uint64_t kSharedWindow =
    0x0100'0000'0000;  // generic address of shared byte 0
inline constexpr std::uint64_t kLocalWindow = 0x0200'0000'0000;
inline constexpr std::uint64_t kWindowBytes = 0x0100'0000'0000;
/// Functions have addresses, too: the n-th of a module this one, with nothing to read there.
inline constexpr std::uint64_t kFunctions = 0x0010'0000, kFunctionBytes = 16;

struct Allocation {
  std::uint64_t address = 0, bytes = 0;
  std::byte* host = nullptr;
  std::string name;                    // for messages: "tensor x"
  std::vector<std::uint64_t> defined;  // one bit a byte; empty unless shadows are on
};

class Memory {
 public:
  /// `limit` is the spec's device memory; half of the host's free memory is a second limit.
  explicit Memory(std::uint64_t limit_bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// 256-byte aligned; at least 4 KiB of unmapped addresses follow and precede. kLimit says how
  /// much was asked and how much there is.
  Result<std::uint64_t> allocate(std::uint64_t bytes, std::string name);
  void release(std::uint64_t address);
  /// Host access. Out of range is a bug of the caller (KP_CHECK). write() makes bytes defined.
  void write(std::uint64_t address, std::span<const std::byte> bytes);
  void read(std::uint64_t address, std::span<std::byte> bytes) const;
  /// Writes `bytes` without making them defined: poison.
  void poison(std::uint64_t address, std::span<const std::byte> bytes);
  /// The allocation that holds [address, address + bytes), or null.
  Allocation* find(std::uint64_t address, std::uint64_t bytes);
  /// The allocation nearest below an address, for messages: "4 bytes past the end of tensor x".
  const Allocation* nearest(std::uint64_t address) const;
  /// The allocation nearest above an address, or null.
  const Allocation* first_above(std::uint64_t address) const;
  /// Address of the first byte of [address, address + bytes) that nobody has defined; nothing when
  /// all are defined or shadows are off. Out of range is a bug of the caller.
  std::optional<std::uint64_t> first_undefined(std::uint64_t address, std::uint64_t bytes);
  /// Turns per-byte shadows on (check mode) or off; bytes written so far count as defined.
  void set_shadows(bool on);
  bool shadows() const;
  std::uint64_t used() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kp::vgpu
