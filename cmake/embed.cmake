# SPDX-License-Identifier: Apache-2.0
# Writes OUT: a header that holds the bytes of IN, as an array, so that no length limit applies.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${OUT}
"#pragma once
#include <string_view>
namespace kp::assets {
inline constexpr char ${SYMBOL}_bytes[] = {${bytes}'\\0'};
inline constexpr std::string_view ${SYMBOL}{${SYMBOL}_bytes, sizeof(${SYMBOL}_bytes) - 1};
}
")
