// SPDX-License-Identifier: Apache-2.0
#include "vgpu/checks.h"
namespace kp::vgpu {
Checks::Checks(const Launch& launch, Races& races)
    : launch_(launch), races_(races), slots_per_warp_(0) {}
void Checks::begin(Block&) {
  (void)launch_;
  (void)races_;
}
std::uint32_t Checks::defined(const Warp&, std::uint32_t, unsigned) const { return ~0u; }
void Checks::define(const Warp&, std::uint32_t, unsigned, std::uint32_t, std::uint32_t) {}
void Checks::alu(const Warp& warp, const Instruction& in, std::uint32_t active) {
  if (active) in.alu(warp.file, in.op, active);
}
bool Checks::guard(Block&, const Warp&, std::uint32_t, std::uint32_t) { return true; }
bool Checks::address(const Frame&, const Request&, std::uint32_t) { return true; }
bool Checks::decides(Block&, const Warp&, std::uint32_t, std::uint32_t, std::uint32_t) {
  return true;
}
bool Checks::load(const Frame&, const Access&, const Lanes&) { return true; }
bool Checks::store(const Frame&, const Access&, const Lanes&) { return true; }
bool Checks::atomic(const Frame&, const Access&, const Lanes&) { return true; }
bool Checks::read(const Frame&, const Lanes&, unsigned, std::uint32_t&) { return true; }
bool Checks::write(const Frame&, const Lanes&, unsigned, std::span<const std::byte>, bool) {
  return true;
}
bool Checks::synchronise(const Frame&, const Lanes&) { return true; }
void Checks::meet(const Block&, const Warp&, std::uint32_t) {}
void Checks::arrive(const Block&, const Warp&, std::uint32_t, std::uint32_t) {}
void Checks::release(Block&, const Barrier&, std::uint32_t) {}
}  // namespace kp::vgpu
