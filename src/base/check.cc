// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace kp {

void check_failed(const char* condition, const char* file, int line, std::string_view text) {
  std::fprintf(stderr,
               "kernelpro: internal error at %s:%d: %.*s\n  this must hold: %s\n"
               "  please report it with the command that led here\n",
               file, line, static_cast<int>(text.size()), text.data(), condition);
  std::abort();
}

}  // namespace kp
