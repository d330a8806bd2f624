// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "vgpu/lower_fixture.h"
#include "vgpu/memory.h"

namespace kp::vgpu {
namespace {

TEST(Lower, ReadsSharedVariablesAtFixedOffsets) {
  const auto program = lowered(
      ".shared .align 16 .b8 a[20];\n.shared .f32 b;\nld.shared.f32 %f1, [b];\nmov.u32 %r1, b;\n"
      "mov.u64 %rd1, a;\ncvta.shared.u64 %rd2, %rd1;\nst.shared.f32 [a+4], %f1;\nret;");
  EXPECT_EQ(program.static_shared, 24u);
  EXPECT_EQ(access_of(program, program.code[0]).offset, 20);
  EXPECT_EQ(program.code[0].op.a, kNone);
  EXPECT_EQ(constant_at(program, program.code[1].op.a), 20u);
  const auto& convert = program.code[3];
  EXPECT_EQ(constant_at(program, convert.op.b), kSharedWindow);
}

TEST(Lower, LoadsVectorsParametersAndNarrowTypes) {
  const auto program = lowered(
      "ld.param.u64 %rd1, [k_param_0];\nld.global.nc.v4.f32 {%f1, _, %f3, %f4}, [%rd1+16];\n"
      "ld.global.s8 %rd2, [%rd1];\nst.global.u8 [%rd1], %rd2;\nret;");
  EXPECT_EQ(access_of(program, program.code[0]).space, ptx::Space::kParam);
  const auto& vector = access_of(program, program.code[1]);
  EXPECT_EQ(vector.elements, 4);
  EXPECT_EQ(vector.registers[1], kNone);
  EXPECT_EQ(vector.offset, 16);
  EXPECT_TRUE(vector.no_coherent);
  // A narrow load into a wide register is a load and an extension; the store takes the low word.
  EXPECT_EQ(program.code[2].kind, Kind::kLoad);
  EXPECT_EQ(program.code[3].kind, Kind::kAlu);
  EXPECT_EQ(program.code[4].kind, Kind::kAlu);
  EXPECT_EQ(program.code[5].kind, Kind::kStore);
}

TEST(Lower, TurnsAtomicsWithoutAReaderIntoReductions) {
  const auto unread = lowered("atom.global.add.u32 %r1, [%rd1], 1;\nret;");
  EXPECT_FALSE(access_of(unread, unread.code[0]).returns);
  EXPECT_FALSE(unread.order_sensitive);
  const auto read =
      lowered("atom.global.add.u32 %r1, [%rd1], 1;\nst.global.u32 [%rd1], %r1;\nret;");
  EXPECT_TRUE(access_of(read, read.code[0]).returns);
  EXPECT_TRUE(read.order_sensitive);
  EXPECT_TRUE(lowered("red.global.add.f32 [%rd1], %f1;\nret;").order_sensitive);
  EXPECT_FALSE(lowered("red.shared.add.f32 [%r1], %f1;\nret;").order_sensitive);
}

TEST(Lower, PutsTheOperandsOfACompareAndSwapInPlace) {
  const auto program = lowered("atom.global.cas.b32 %r1, [%rd1], 5, 6;\nmov.b32 %r2, %r1;\nret;");
  const auto& cas = program.code[0];
  EXPECT_EQ(constant_at(program, cas.op.c), 5u);  // compare
  EXPECT_EQ(constant_at(program, cas.op.b), 6u);  // new value
  EXPECT_EQ(access_of(program, cas).atomic, AtomicOp::kCompareSwap);
}

TEST(Lower, LowersAsynchronousCopies) {
  const auto program = lowered(
      "cp.async.cg.shared.global [%r1+8], [%rd1+32], 16;\ncp.async.ca.shared.global [%r1], [%rd1], "
      "4, %r2;\n"
      "cp.async.commit_group;\ncp.async.wait_group 0;\nret;");
  const auto found = of_kind(program, Kind::kCopyAsync);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].op.imm, 8u);
  EXPECT_EQ(access_of(program, found[0]).offset, 32);
  EXPECT_EQ(access_of(program, found[0]).elements, 4);
  EXPECT_EQ(found[0].op.c, kNone);
  EXPECT_NE(found[1].op.c, kNone);
  EXPECT_EQ(of_kind(program, Kind::kAsyncWait).size(), 2u);
}

TEST(Lower, LowersMatrixLoadsAndBarriersInSharedMemory) {
  const auto program = lowered(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];\n"
      "mbarrier.init.shared::cta.b64 [%r5], 32;\nmbarrier.arrive.shared::cta.b64 _, [%r5];\n"
      "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r5], %r6;\nret;");
  const auto loads = of_kind(program, Kind::kMatrixLoad);
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(access_of(program, loads[0]).elements, 4);
  EXPECT_EQ(loads[0].op.imm, 1u);
  const auto barriers = of_kind(program, Kind::kMbarrier);
  ASSERT_EQ(barriers.size(), 3u);
  EXPECT_EQ(barriers[1].op.dst, kNone);
  EXPECT_EQ(MbarrierForm{barriers[2].op.imm}, MbarrierForm::kTestParity);
}

TEST(Lower, TellsWhereTheElementsOfAFragmentStand) {
  const auto program = lowered(
      "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, "
      "[%rd1];\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], "
      "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, %r9;\nret;");
  ASSERT_EQ(program.fragments.size(), 2u);
  const auto& b = program.fragments[access_of(program, program.code[0]).fragment];
  EXPECT_EQ(b.elements, 16);
  EXPECT_EQ(b.per_register, 2);
  EXPECT_TRUE(b.column_major);
  EXPECT_EQ(constant_at(program, program.code[0].op.b), 16u);
  const auto& d = program.fragments[access_of(program, program.code[1]).fragment];
  EXPECT_EQ(d.elements, 8);
  std::set<std::pair<int, int>> places;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned e = 0; e < d.elements; ++e) places.emplace(d.row[lane][e], d.column[lane][e]);
  }
  EXPECT_EQ(places.size(), 256u);
}

TEST(Lower, KeepsPartsOfUnequalSizeInLocalMemory) {
  const std::string callee =
      ".func f(.param .b32 f_p)\n{ .reg .b16 %rs<2>; ld.param.u8 %rs1, [f_p+1]; ret; }\n";
  const auto program = lower_text(
      callee + kernel("{ .param .b32 p; st.param.b32 [p], %r1; call.uni f, (p); }\nret;"));
  ASSERT_TRUE(program) << program.error().text();
  EXPECT_EQ(program->local_bytes, 4u);
  ASSERT_EQ(of_kind(*program, Kind::kStore).size(), 1u);
  EXPECT_EQ(access_of(*program, of_kind(*program, Kind::kLoad)[0]).space, ptx::Space::kLocal);
}

}  // namespace
}  // namespace kp::vgpu
