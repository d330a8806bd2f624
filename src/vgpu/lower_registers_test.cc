// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "vgpu/lower_fixture.h"
#include "vgpu/memory.h"

namespace kp::vgpu {
namespace {

TEST(Lower, MakesOneRegisterOfEqualConstants) {
  const auto program =
      lowered("add.s32 %r1, %r2, 7;\nadd.s32 %r3, %r4, 7;\nadd.s32 %r5, 7, 8;\nret;");
  EXPECT_EQ(program.constants.size(), 2u);
  EXPECT_EQ(program.code[0].op.b, program.code[1].op.b);
  EXPECT_EQ(constant_at(program, program.code[0].op.b), 7u);
}

TEST(Lower, ConvertsLiteralsToTheWidthOfTheOperand) {
  const auto program = lowered(
      "add.f32 %f1, %f2, 1.0;\nadd.f64 %fd1, %fd2, 0f3F800000;\nadd.s64 %rd1, %rd2, -1;\nret;");
  EXPECT_EQ(constant_at(program, program.code[0].op.b), 0x3f800000u);
  EXPECT_EQ(constant_at(program, program.code[1].op.b), 0x3ff0000000000000u);
  EXPECT_EQ(constant_at(program, program.code[2].op.b), ~0ull);
}

TEST(Lower, SharesOneRegisterForASpecialRegister) {
  const auto program =
      lowered("mov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, %tid.x;\nmov.u32 %r3, %envreg2;\nret;");
  ASSERT_EQ(program.specials.size(), 2u);
  EXPECT_EQ(program.specials[0].which, SpecialRegister::kTidX);
  EXPECT_EQ(program.specials[1].index, 2);
}

TEST(Lower, LetsShortLivesShareTheRegisterFile) {
  std::string distinct;
  for (int i = 10; i < 40; ++i) {
    const auto name = "%r" + std::to_string(i);
    distinct += "mov.u32 " + name + ", %tid.x;\nst.global.u32 [%rd1], " + name + ";\n";
  }
  EXPECT_EQ(lowered(distinct + "ret;").file_bytes, 128u + 128 + 256);
}

TEST(Lower, KeepsWhatOutlivesABlockOrMayBeLeftUnwritten) {
  // %r1 lives across the branch, %r2 is written under a guard: neither may share with %r3 and %r4.
  const auto program = lowered(
      "mov.u32 %r1, 1;\n@%p1 mov.u32 %r2, 2;\nadd.s32 %r3, %r1, %r2;\nst.global.u32 [%rd1], "
      "%r3;\n@%p1 bra L;\n"
      "add.s32 %r4, %r1, %r2;\nst.global.u32 [%rd1], %r4;\nL:\nst.global.u32 [%rd1], %r1;\nret;");
  check(program);
  const auto r1 = program.code[0].op.dst, r2 = program.code[1].op.dst, r3 = program.code[2].op.dst;
  EXPECT_EQ(std::set<std::uint32_t>({r1, r2, r3}).size(), 3u);
  EXPECT_EQ(program.code[5].op.dst, r3);
}

TEST(Lower, DoesNotShareAResultWithASourceOfTheSameInstruction) {
  const auto program = lowered(
      "mov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, 1;\nadd.s32 %r3, %r2, 1;\nst.global.u32 [%rd1], "
      "%r3;\nret;");
  EXPECT_NE(program.code[1].op.dst, program.code[1].op.a);
  EXPECT_EQ(program.code[2].op.dst, program.code[0].op.dst);
}

}  // namespace
}  // namespace kp::vgpu
