// SPDX-License-Identifier: Apache-2.0
// Programs and specs for tests of the counters and the time model, made by hand instruction by
// instruction.
#pragma once
#include <array>
#include <cstdint>
#include <functional>

#include "base/check.h"
#include "model/device_spec.h"
#include "vgpu/counters.h"
#include "vgpu/program.h"

namespace kp::vgpu {

inline const DeviceSpec& h200() {
  static const DeviceSpec spec = [] {
    Result<DeviceSpec> read = read_device_spec("h200");
    KP_CHECK(read.has_value(), read ? "" : read.error().text());
    return *read;
  }();
  return spec;
}

/// Appends instructions; registers are 32 bits wide and numbered by the caller.
class HandProgram {
 public:
  Program program;

  HandProgram() {
    program.kernel = "hand";
    program.file_bytes = 64 * register_bytes();
    program.lines = {{"", 0}};
  }

  std::uint32_t alu(Class cls, unsigned dst, unsigned a, unsigned b = 0) {
    Instruction instruction{.kind = Kind::kAlu, .cls = cls};
    instruction.op.dst = offset(dst);
    instruction.op.a = offset(a);
    instruction.op.b = offset(b);
    for (const unsigned i : {0u, 2u, 3u}) instruction.width[i] = 2;
    return append(instruction);
  }
  std::uint32_t memory(Kind kind, ptx::Space space, unsigned value, std::uint8_t elements = 1) {
    Access access{.space = space, .elements = elements};
    for (unsigned i = 0; i < elements; ++i) access.registers[i] = offset(value + i);
    Instruction instruction{.kind = kind, .cls = Class::kMemory};
    instruction.op.a = offset(0);
    instruction.extra = static_cast<std::uint32_t>(program.accesses.size());
    program.accesses.push_back(access);
    return append(instruction);
  }
  std::uint32_t branch(std::uint32_t target) {
    return append({.kind = Kind::kBranch, .cls = Class::kControl, .extra = target});
  }
  std::uint32_t barrier() { return append({.kind = Kind::kBarrier, .cls = Class::kMisc}); }
  Access& access_of(std::uint32_t pc) { return program.accesses[program.code[pc].extra]; }

 private:
  static constexpr std::uint32_t register_bytes() { return kLanes * 4; }
  static std::uint32_t offset(unsigned number) { return number * register_bytes(); }
  std::uint32_t append(const Instruction& instruction) {
    program.code.push_back(instruction);
    return static_cast<std::uint32_t>(program.code.size() - 1);
  }
};

inline constexpr std::uint32_t kFullWarp = 0xffff'ffff;
using LaneAddresses = std::array<std::uint64_t, kLanes>;
using LaneOffsets = std::array<std::uint32_t, kLanes>;

inline LaneAddresses lane_addresses(std::uint64_t start, std::uint64_t stride) {
  LaneAddresses result{};
  for (unsigned lane = 0; lane < kLanes; ++lane) result[lane] = start + lane * stride;
  return result;
}
inline LaneOffsets lane_offsets(unsigned stride) {
  LaneOffsets result{};
  for (unsigned lane = 0; lane < kLanes; ++lane) result[lane] = lane * stride;
  return result;
}

}  // namespace kp::vgpu
