// SPDX-License-Identifier: Apache-2.0
// Numbers that nobody can guess, for seeds and nonces that candidates must not know.
#pragma once
#include <cstdint>

#include "base/result.h"

namespace kp {

/// 64 bits from the kernel. kIo when it has none to give.
Result<std::uint64_t> secret_number();

}  // namespace kp
