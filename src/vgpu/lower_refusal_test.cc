// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "vgpu/lower_fixture.h"
#include "vgpu/memory.h"

namespace kp::vgpu {
namespace {

TEST(Lower, NamesWhatItCannotExecuteWithItsLine) {
  const auto program =
      lower_text(kernel(".loc 1 17 3\nwgmma.fence.sync.aligned;\nret;") + ".file 1 \"gemm.cu\"\n");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(program.error().spot.file, "gemm.cu");
  EXPECT_EQ(program.error().spot.line, 17);
  EXPECT_NE(program.error().text().find("wgmma.fence.sync.aligned"), std::string::npos);
  EXPECT_NE(
      error_of("ret;\ntex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1,%f2}];").find("kernel.ptx:13"),
      std::string::npos);
}

TEST(Lower, RefusesForeignFunctions) {
  const auto foreign =
      lower_text(".extern .func (.param .b32 r) malloc(.param .b64 a);\n" +
                 kernel("{ .param .b32 r; .param .b64 a; call (r), malloc, (a); }\nret;"));
  ASSERT_FALSE(foreign);
  EXPECT_NE(foreign.error().message.find("call malloc"), std::string::npos);
}

TEST(Lower, RefusesRecursionOverArgumentsWithoutSize) {
  const std::string huge = ".func f(.param .align 8 .b8 n[99999999999])\n{ call f, (n); ret; }\n";
  const auto program =
      lower_text(huge + kernel("{ .param .align 8 .b8 a[99999999999];\ncall f, (a); }\nret;"));
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().message.find("no usable size"), std::string::npos);
}

TEST(Lower, RefusesBadPtxWithoutCrashing) {
  EXPECT_NE(error_of("add.s32 %q1, %r1, %r2;").find("%q1 is not declared"), std::string::npos);
  EXPECT_NE(error_of("bra NOWHERE;").find("label NOWHERE"), std::string::npos);
  EXPECT_NE(error_of("add.s32 %r1, %r2;").find("too few"), std::string::npos);
  EXPECT_NE(error_of("add.s32 %r1, %r2, %r3, %r4, %r5, %r6;").find("too many"), std::string::npos);
  EXPECT_NE(error_of("add.s32 %rd1, %p1, 1;").find("wrong"), std::string::npos);
  EXPECT_NE(error_of("@%r1 bra L;\nL:").find("no predicate"), std::string::npos);
  EXPECT_NE(error_of("ld.global.f32 %f1;").find("needs"), std::string::npos);
  EXPECT_NE(error_of("ld.global.v4.f32 %f1, [%rd1];").find("vector"), std::string::npos);
  EXPECT_NE(error_of("st.global.f32 [x], %f1;").find("x is not declared"), std::string::npos);
  EXPECT_NE(error_of("mov.u32 %r1, {%r2};").find("mov"), std::string::npos);
  EXPECT_NE(error_of("bar.red.popc.u32 5;").find("reduction"), std::string::npos);
  EXPECT_NE(
      error_of(".shared .b8 huge[99999999];\nmov.u32 %r1, huge;").find("bytes of shared memory"),
      std::string::npos);
}

TEST(Lower, SaysWhichKernelsThereAre) {
  const auto program = lower_text(kernel("ret;"), "other");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, ErrorCode::kNotFound);
  EXPECT_NE(program.error().hint.find("k"), std::string::npos);
}

}  // namespace
}  // namespace kp::vgpu
