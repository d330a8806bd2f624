// SPDX-License-Identifier: Apache-2.0
// Literals of PTX: read by the parser, converted where an operand's type is known.
#pragma once
#include <optional>
#include <string_view>

#include "ptx/module.h"

namespace kp::ptx {

/// 12, 0x1F, 017, 0b101, 12U, 0f3F800000, 0d3FF0000000000000, 1.5e3. Nothing when it is none of
/// these or does not fit 64 bits.
std::optional<Immediate> read_number(std::string_view text);

/// -value.
Immediate negate(Immediate value);

/// The bits of `value` in `bytes` bytes (1 to 8) where a float or an integer is meant: a float
/// literal is rounded to the float of that size (2 bytes: its low bits), an integer is cut.
std::uint64_t bits_in(const Immediate& value, unsigned bytes);

}  // namespace kp::ptx
