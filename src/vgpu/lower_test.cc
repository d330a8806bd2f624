// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "vgpu/lower_fixture.h"
#include "vgpu/memory.h"

namespace kp::vgpu {
namespace {

TEST(Lower, LowersWhatTheCompilerEmits) {
  for (const char* name : {"calls", "grid_barrier", "inline_assembly", "local_array", "choose"}) {
    SCOPED_TRACE(name);
    check(compiled(name));
  }
}

TEST(Lower, InlinesCallsAndKeepsTheirParametersInRegisters) {
  const auto program = compiled("calls");
  EXPECT_TRUE(of_kind(program, Kind::kCall).empty());
  EXPECT_EQ(of_kind(program, Kind::kExit).size(), 1u);
  EXPECT_EQ(program.local_bytes, 0u);
  ASSERT_EQ(program.parameters.size(), 4u);
  EXPECT_EQ(program.parameters[3].offset, 24u);
  EXPECT_EQ(program.parameter_bytes, 48u);
}

TEST(Lower, PutsDynamicSharedMemoryBehindTheStaticOne) {
  const auto program = compiled("calls");
  EXPECT_EQ(program.static_shared, 4224u);
  const auto stores = of_kind(program, Kind::kStore);
  ASSERT_FALSE(stores.empty());
  EXPECT_TRUE(
      std::any_of(program.constants.begin(), program.constants.end(),
                  [](const Constant& one) { return one.bits == 4224 && one.lane_bytes == 4; }));
}

TEST(Lower, KeepsTheAddressesInInitialValues) {
  const auto program = compiled("calls");
  const auto rows = std::find_if(program.statics.begin(), program.statics.end(),
                                 [](const StaticVariable& one) { return one.name == "rows"; });
  ASSERT_NE(rows, program.statics.end());
  ASSERT_EQ(rows->relocations.size(), 2u);
  EXPECT_EQ(rows->relocations[1].first, 8u);
  EXPECT_EQ(program.statics.at(rows->relocations[1].second).name, "table");
  EXPECT_EQ(rows->address_registers.size(), 1u);
}

TEST(Lower, FindsTheGridBarrier) {
  EXPECT_TRUE(compiled("grid_barrier").grid_sync);
  EXPECT_FALSE(compiled("calls").grid_sync);
}

TEST(Lower, GivesEveryInstructionTheUsersLine) {
  const auto program = compiled("grid_barrier");
  for (const auto& one : program.code) {
    if (one.line != 0) {
      EXPECT_EQ(program.lines[one.line].file, "kernels.cu");
    }
  }
}

TEST(Lower, KeepsGuards) {
  const auto program =
      lowered("@!%p1 add.s32 %r1, %r1, 1;\n@%p2 st.global.u32 [%rd1], %r1;\n@%p1 exit;\nret;");
  EXPECT_TRUE(program.code[0].guard_negated);
  EXPECT_NE(program.code[0].guard, kNone);
  EXPECT_NE(program.code[1].guard, program.code[0].guard);
  EXPECT_EQ(of_kind(program, Kind::kExit).size(), 2u);
}

TEST(Lower, InvertsABranchRatherThanJumpOverIt) {
  const auto program = lowered("@%p1 bra A;\nbra.uni B;\nA:\nadd.s32 %r1, %r1, 1;\nB:\nret;");
  const auto branches = of_kind(program, Kind::kBranch);
  ASSERT_EQ(branches.size(), 1u);
  EXPECT_TRUE(branches[0].guard_negated);
  EXPECT_EQ(program.code.at(branches[0].extra).kind, Kind::kExit);
}

TEST(Lower, PutsTheMaskOfACollectiveInD) {
  const auto program = lowered(
      "shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;\nvote.sync.ballot.b32 %r3, !%p1, "
      "255;\nbar.warp.sync 15;\nret;");
  const auto found = of_kind(program, Kind::kCollective);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(constant_at(program, found[0].op.d), 0xffffffffu);
  EXPECT_NE(found[0].op.dst2, kNone);
  EXPECT_EQ(constant_at(program, found[1].op.d), 255u);
  EXPECT_EQ(constant_at(program, found[2].op.d), 15u);
  EXPECT_EQ(found[2].alu, nullptr);
}

TEST(Lower, LowersEveryFormOfBarrier) {
  const auto program = lowered(
      "bar.sync 0;\nbarrier.cta.sync.aligned 1, 64;\nbar.arrive 2, 96;\nbar.red.popc.u32 %r1, 0, "
      "%p1;\n"
      "bar.red.or.pred %p2, 0, 64, !%p1;\nret;");
  const auto found = of_kind(program, Kind::kBarrier);
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[0].op.b, kNone);
  EXPECT_EQ(constant_at(program, found[1].op.b), 64u);
  EXPECT_EQ(BarrierForm{found[2].op.imm}, BarrierForm::kArrive);
  EXPECT_EQ(BarrierForm{found[3].op.imm}, BarrierForm::kPopc);
  EXPECT_EQ(BarrierForm{found[4].op.imm}, BarrierForm::kOr);
  EXPECT_EQ(constant_at(program, found[4].op.b), 64u);
}

TEST(Lower, LowersBranchTables) {
  const auto program =
      lowered("ts: .branchtargets A, B, A;\nbrx.idx.uni %r1, ts;\nA: mov.u32 %r1, 1;\nB: ret;");
  check(program);
  ASSERT_EQ(program.tables.size(), 1u);
  EXPECT_EQ(program.tables[0][0], program.tables[0][2]);
  EXPECT_NE(program.tables[0][0], program.tables[0][1]);
}

TEST(Lower, CarriesTheFlagFromOneAdditionToTheNext) {
  const auto program = lowered("add.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r5, %r6;\nret;");
  EXPECT_NE(program.code[0].op.dst2, kNone);
  EXPECT_EQ(program.code[1].op.c, program.code[0].op.dst2);
}

TEST(Lower, MergesTheContinuesOfALoop) {
  const auto program =
      lowered("L:\nadd.s32 %r1, %r1, 1;\n@%p1 bra L;\nadd.s32 %r2, %r2, 1;\n@%p2 bra L;\nret;");
  check(program);
  // Both conditional branches lead to one jump at the end of the loop, so that lanes meet before
  // it.
  const auto branches = of_kind(program, Kind::kBranch);
  ASSERT_EQ(branches.size(), 3u);
  EXPECT_EQ(branches[2].guard, kNone);
  EXPECT_EQ(branches[2].extra, 0u);
}

TEST(Lower, GivesEveryCallItsOwnRegistersAndOneStaticArray) {
  const std::string callee =
      ".func (.param .b32 r) f(.param .b32 a)\n{ .shared .b32 s; .reg .b32 %r<3>; .reg .pred "
      "%p<2>;\n"
      "ld.param.b32 %r1, [a]; setp.eq.s32 %p1, %r1, 0; @%p1 ret; st.shared.b32 [s], %r1;\n"
      "st.param.b32 [r], %r1; ret; }\n";
  const std::string call =
      "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %r1; call (r), f, (a); ld.param.b32 %r2, "
      "[r]; }\n";
  const auto program =
      lower_text(callee + kernel(call + "@%p1 " + "bra END;\n" + call + "END: ret;"));
  ASSERT_TRUE(program) << program.error().text();
  check(*program);
  EXPECT_EQ(program->static_shared, 4u);
  const auto stores = of_kind(*program, Kind::kStore);
  ASSERT_EQ(stores.size(), 2u);
  EXPECT_NE(access_of(*program, stores[0]).registers[0],
            access_of(*program, stores[1]).registers[0]);
}

TEST(Print, ShowsEveryInstructionOnALine) {
  const auto program =
      lowered("mov.u32 %r1, 5;\n@!%p1 bra END;\nst.global.v2.u32 [%rd1+8], {%r1, %r1};\nEND: ret;");
  const auto text = print(program);
  EXPECT_NE(text.find("kernel k: "), std::string::npos);
  EXPECT_NE(text.find("branch -> 3"), std::string::npos);
  EXPECT_NE(text.find("global 2xu32 +8"), std::string::npos);
  EXPECT_NE(text.find("    3: exit"), std::string::npos);
}

constexpr std::string_view kFactorial =
    ".func (.param .b32 r) f(.param .b32 n)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<5>;\n"
    "ld.param.b32 %r1, [n];\nmov.u32 %r3, 1;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra DONE;\n"
    "add.s32 %r2, %r1, -1;\n{\n.param .b32 a;\nst.param.b32 [a], %r2;\n.param .b32 b;\n"
    "call (b), f, (a);\nld.param.b32 %r3, [b];\n}\nmul.lo.s32 %r3, %r3, %r1;\n"
    "DONE:\nst.param.b32 [r], %r3;\nret;\n}\n";
constexpr std::string_view kCallsFactorial =
    "{\n.param .b32 a;\nst.param.b32 [a], 5;\n.param .b32 b;\ncall (b), f, (a);\n"
    "ld.param.b32 %r3, [b];\n}\nret;";

TEST(Lower, ARecursiveFunctionSavesWhatItReadsBehindItsCall) {
  const auto program = lower_text(std::string(kFactorial) + kernel(std::string(kCallsFactorial)));
  ASSERT_TRUE(program) << program.error().text();
  check(*program);
  ASSERT_EQ(program->functions.size(), 1u);
  EXPECT_EQ(of_kind(*program, Kind::kCall).size(), 2u);
  EXPECT_EQ(of_kind(*program, Kind::kReturn).size(), 1u);
  // %r1 alone is needed again.
  EXPECT_EQ(of_kind(*program, Kind::kStore).size(), 1u);
  EXPECT_EQ(of_kind(*program, Kind::kLoad).size(), 1u);
  EXPECT_GE(program->functions[0].frame, 4u);
  EXPECT_GE(program->local_bytes, 16u << 10);
}

TEST(Lower, AddressesOfFunctionsAreNumbers) {
  const auto program = lower_text(std::string(kFactorial) +
                                  kernel("mov.u64 %rd1, f;\nst.global.u64 [%rd2], %rd1;\nret;"));
  ASSERT_TRUE(program) << program.error().text();
  const auto store = of_kind(*program, Kind::kStore).at(0);
  EXPECT_TRUE(program->functions.empty());
  EXPECT_EQ(store.kind, Kind::kStore);
}

}  // namespace
}  // namespace kp::vgpu
