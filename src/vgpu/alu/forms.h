// SPDX-License-Identifier: Apache-2.0
// The tables of instruction forms that the families offer; alu.cc looks a form up in them.
#pragma once
#include <cstddef>
#include <cstdint>

#include "vgpu/instruction.h"

namespace kp::vgpu {

/// One form, written as in PTX after alu.cc has dropped what does not change the meaning.
struct Entry {
  const char* form;
  Alu run;
  Class cls;
  std::uint8_t lane_bytes[6];
};

struct Forms {
  const Entry* first;
  std::size_t count;
};

/// Declares the families of one host level; `v3` and `baseline` have the same ones.
#define KP_ALU_FAMILIES(level) \
  namespace level {            \
  Forms approx_forms();        \
  Forms bits_forms();          \
  Forms carry_forms();         \
  Forms collective_forms();    \
  Forms compare_forms();       \
  Forms convert_forms();       \
  Forms convert_float_forms(); \
  Forms double_forms();        \
  Forms float_forms();         \
  Forms half_forms();          \
  Forms integer_forms();       \
  Forms move_forms();          \
  Forms tensor_forms();        \
  Forms video_forms();         \
  }
KP_ALU_FAMILIES(v3)
KP_ALU_FAMILIES(baseline)
#undef KP_ALU_FAMILIES

}  // namespace kp::vgpu
