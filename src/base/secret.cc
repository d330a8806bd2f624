// SPDX-License-Identifier: Apache-2.0
#include "base/secret.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>

namespace kp {

Result<std::uint64_t> secret_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) == sizeof number) return number;
  return fail(ErrorCode::kIo, fmt::format("getrandom: {}", std::strerror(errno)));
}

}  // namespace kp
