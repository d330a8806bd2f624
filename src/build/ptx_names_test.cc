// SPDX-License-Identifier: Apache-2.0
#include "build/ptx_names.h"

#include <gtest/gtest.h>

namespace kp::build {
namespace {

TEST(PtxNames, CountsWholeNames) {
  const PtxNames names(
      ".global .align 4 .u32 used;\n.global .u32 unused;\nmov.u64 %rd1, used+4;\n"
      ".global .u64 table[1] = {generic($inner)};\nst.u32 [_Z4used], %r1; // $inner");
  EXPECT_EQ(names.count("used"), 2u);
  EXPECT_EQ(names.count("unused"), 1u);
  EXPECT_EQ(names.count("_Z4used"), 1u);
  EXPECT_EQ(names.count("$inner"), 2u);
  EXPECT_EQ(names.count("inner"), 0u);
  EXPECT_EQ(PtxNames("").count("x"), 0u);
}

}  // namespace
}  // namespace kp::build
