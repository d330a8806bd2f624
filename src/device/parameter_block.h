// SPDX-License-Identifier: Apache-2.0
// Values as the bytes of kernel parameters. Used by bind.cc.
#pragma once
#include <cstddef>
#include <span>

#include "base/result.h"
#include "build/signature.h"

namespace kp::device {

/// Writes `value` to the parameter's place in `block`. Errors (without a spot): an integer that the
/// parameter cannot hold, a number for a pointer or a struct; they name parameter, type and value.
Result<void> pack_integer(const build::KernelParameter& parameter, std::int64_t value,
                          std::span<std::byte> block);
/// Floating values are rounded to the parameter's type; an integer parameter takes whole numbers
/// only.
Result<void> pack_real(const build::KernelParameter& parameter, double value,
                       std::span<std::byte> block);
Result<void> pack_address(const build::KernelParameter& parameter, std::uint64_t address,
                          std::span<std::byte> block);

}  // namespace kp::device
