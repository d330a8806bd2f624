// SPDX-License-Identifier: Apache-2.0
#include "vgpu/machine_code.h"

#include <gtest/gtest.h>

#include <numeric>

#include "vgpu/lower_fixture.h"

namespace kp::vgpu {
namespace {

/// Machine instructions of the lines, without those that every kernel has.
unsigned machine_instructions(const std::string& lines) {
  const auto sum = [](const Program& program) {
    return std::accumulate(program.code.begin(), program.code.end(), 0u,
                           [](unsigned all, const Instruction& one) { return all + one.sass; });
  };
  return sum(lowered(lines + "ret;")) - sum(lowered("ret;"));
}

TEST(MachineCode, AddressArithmeticIsOneInstructionForEachArray) {
  EXPECT_EQ(machine_instructions("mul.wide.s32 %rd2, %r1, 4;\n"
                                 "add.s64 %rd3, %rd1, %rd2;\n"
                                 "add.s64 %rd4, %rd5, %rd2;\n"
                                 "ld.global.f32 %f1, [%rd3];\n"
                                 "st.global.f32 [%rd4], %f1;\n"),
            4u);
}

TEST(MachineCode, AProductThatIsAlsoUsedOtherwiseStays) {
  EXPECT_EQ(machine_instructions("mul.wide.s32 %rd2, %r1, 4;\n"
                                 "add.s64 %rd3, %rd1, %rd2;\n"
                                 "st.global.u64 [%rd3], %rd2;\n"),
            4u);
}

TEST(MachineCode, ThreeOperandsFitOneInstruction) {
  EXPECT_EQ(machine_instructions("add.s32 %r3, %r1, %r2;\nadd.s32 %r5, %r3, %r4;\n"), 1u);
  EXPECT_EQ(machine_instructions("shl.b32 %r3, %r1, 4;\nadd.s32 %r5, %r3, %r4;\n"), 1u);
  EXPECT_EQ(machine_instructions("xor.b32 %r3, %r1, %r2;\nand.b32 %r5, %r3, %r4;\n"), 1u);
  EXPECT_EQ(machine_instructions("add.s32 %r3, %r1, %r2;\nadd.s32 %r5, %r3, %r4;\n"
                                 "add.s32 %r6, %r5, %r3;\n"),
            2u);  // %r3 is needed twice
}

TEST(MachineCode, ConstantsAreComputedByTheAssembler) {
  EXPECT_EQ(machine_instructions("mov.f32 %f1, 0f3F000000;\ncvt.rn.f16.f32 %rs1, %f1;\n"), 0u);
  EXPECT_EQ(machine_instructions("mov.u32 %r1, %tid.x;\n"), 1u);  // has to be fetched
}

constexpr const char* kTile = ".shared .align 16 .b8 tile[256];\n";

std::vector<int> machine_bytes(const Program& program) {
  std::vector<int> bytes;
  for (const Instruction& load : of_kind(program, Kind::kLoad))
    bytes.push_back(access_of(program, load).machine_bytes);
  return bytes;
}

TEST(MachineCode, NeighbouringSharedLoadsBecomeOne) {
  const Program program = lowered(std::string(kTile) +
                                  "mov.u32 %r1, tile;\nmov.u32 %r2, %tid.x;\n"
                                  "shl.b32 %r3, %r2, 4;\nadd.s32 %r4, %r1, %r3;\n"
                                  "ld.shared.f32 %f1, [%r4];\nld.shared.f32 %f2, [%r4+4];\n"
                                  "ld.shared.f32 %f3, [%r4+8];\nld.shared.f32 %f4, [%r4+12];\n"
                                  "ret;");
  EXPECT_EQ(machine_bytes(program), (std::vector<int>{16, 0, 0, 0}));
}

TEST(MachineCode, UnalignedOrSeparatedSharedLoadsStayApart) {
  const std::string start = std::string(kTile) +
                            "mov.u32 %r1, tile;\nmov.u32 %r2, %tid.x;\n"
                            "shl.b32 %r3, %r2, 2;\nadd.s32 %r4, %r1, %r3;\n";
  const int alone = Access::kAlone;
  EXPECT_EQ(machine_bytes(lowered(start + "ld.shared.f32 %f1, [%r4];\nld.shared.f32 %f2, [%r4+4];\n"
                                          "ret;")),
            (std::vector<int>{alone, alone}));  // %r4 is a multiple of 4 alone
  EXPECT_EQ(machine_bytes(lowered(std::string(kTile) +
                                  "ld.shared.f32 %f1, [tile];\nst.shared.f32 [tile+64], %f1;\n"
                                  "ld.shared.f32 %f2, [tile+4];\nret;")),
            (std::vector<int>{alone, alone}));
}

TEST(MachineCode, AShortBlockThatABranchSkipsIsIssuedByAll) {
  const Program program = lowered(
      "setp.gt.u32 %p1, %r1, 3;\n@%p1 bra $after;\n"
      "add.f32 %f1, %f2, %f3;\n$after:\n"
      "st.global.f32 [%rd1], %f1;\nret;");
  const auto branches = of_kind(program, Kind::kBranch);
  ASSERT_EQ(branches.size(), 1u);
  EXPECT_EQ(branches[0].sass, 0u);
  const auto skipped = std::ranges::find_if(
      program.code, [](const Instruction& one) { return one.cls == Class::kFadd; });
  ASSERT_NE(skipped, program.code.end());
  ASSERT_LT(skipped->issues_like, program.code.size());
  EXPECT_EQ(program.code[skipped->issues_like].kind, Kind::kBranch);
}

TEST(MachineCode, CountedLoopsOfOneBlockAreUnrolled) {
  const Program program = lowered(
      "mov.u32 %r1, 0;\n$loop:\n"
      "ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\n"
      "add.s32 %r1, %r1, 1;\nsetp.ne.s32 %p1, %r1, %r2;\n"
      "@%p1 bra $loop;\nst.global.f32 [%rd1], %f2;\nret;");
  const auto branches = of_kind(program, Kind::kBranch);
  ASSERT_EQ(branches.size(), 1u);
  EXPECT_TRUE(branches[0].unrolled);
}

}  // namespace
}  // namespace kp::vgpu
