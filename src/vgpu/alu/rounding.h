// SPDX-License-Identifier: Apache-2.0
// Directed rounding for a whole warp instruction: the host's rounding control is set around the
// lane loop, so that each lane costs what round-to-nearest costs. The loop's operands come from
// memory and its results go there, which the fences keep inside. Used by the family files only.
#pragma once
#include "vgpu/alu/lanes.h"

namespace kp::vgpu::KP_ALU_LEVEL {

/// Values of the rounding field of MXCSR.
enum class Round : u32 { kNearest = 0, kDown = 0x2000, kUp = 0x4000, kZero = 0x6000 };

inline constexpr u32 kRoundField = 0x6000;

class RoundingScope {
 public:
  explicit RoundingScope(Round round) {
    asm volatile("stmxcsr %0" : "=m"(saved_)::"memory");
    load((saved_ & ~kRoundField) | static_cast<u32>(round));
  }
  ~RoundingScope() { load(saved_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  static void load(u32 control) { asm volatile("ldmxcsr %0" ::"m"(control) : "memory"); }
  u32 saved_;
};

template <auto F, Round kRound>
void run_rounded(std::byte* file, const Operands& operands, u32 active) {
  const RoundingScope scope(kRound);
  Map<F>::run(file, operands, active);
}

template <auto F, Round kRound>
constexpr Entry rounded(const char* form, Class cls) {
  Entry made = Map<F>::entry(form, cls);
  made.run = &run_rounded<F, kRound>;
  return made;
}

}  // namespace kp::vgpu::KP_ALU_LEVEL
