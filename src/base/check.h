// SPDX-License-Identifier: Apache-2.0
// KP_CHECK states what must hold if KernelPro has no bug. It is on in every build, prints the
// condition, the place and the text, and aborts. It must never be reachable from input.
#pragma once
#include <string_view>

namespace kp {
[[noreturn]] void check_failed(const char* condition, const char* file, int line,
                               std::string_view text);
}

#define KP_CHECK(condition, text)                               \
  do {                                                          \
    if (!(condition)) [[unlikely]]                              \
      ::kp::check_failed(#condition, __FILE__, __LINE__, text); \
  } while (false)
