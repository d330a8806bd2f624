// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "ptx/parse.h"
#include "vgpu/memory.h"
#include "vgpu/program.h"

namespace kp::vgpu {
namespace {

constexpr std::string_view kHead = ".version 9.0\n.target sm_90\n.address_size 64\n";

Result<Program> lower_text(const std::string& text, std::string_view kernel = "k") {
  const auto module = ptx::parse(std::string(kHead) + text);
  EXPECT_TRUE(module) << module.error().text();
  if (!module) return fail(ErrorCode::kInvalidInput, "does not parse");
  return lower(*module, kernel);
}

/// A kernel with the usual registers, one pointer parameter, and these lines.
std::string kernel(const std::string& lines) {
  return ".visible .entry k(.param .u64 k_param_0)\n{\n.reg .pred %p<9>;\n.reg .b16 %rs<9>;\n"
         ".reg .b32 %r<99>;\n.reg .f32 %f<99>;\n.reg .b64 %rd<99>;\n.reg .f64 %fd<9>;\n" +
         lines + "\n}\n";
}

Program lowered(const std::string& lines) {
  auto program = lower_text(kernel(lines));
  EXPECT_TRUE(program) << program.error().text();
  return program ? *std::move(program) : Program{};
}

std::string error_of(const std::string& lines) {
  const auto program = lower_text(kernel(lines));
  return program ? "no error" : program.error().text();
}

Program compiled(std::string_view kernel_name) {
  const auto text = read_file(Path(KP_SOURCE_DIR) / "src/ptx/testdata/kernels.ptx");
  const auto module = ptx::parse(text.value());
  auto program = lower(module.value(), kernel_name);
  EXPECT_TRUE(program) << program.error().text();
  return program ? *std::move(program) : Program{};
}

std::vector<Instruction> of_kind(const Program& program, Kind kind) {
  std::vector<Instruction> found;
  std::copy_if(program.code.begin(), program.code.end(), std::back_inserter(found),
               [&](const Instruction& one) { return one.kind == kind; });
  return found;
}

const Access& access_of(const Program& program, const Instruction& instruction) {
  return program.accesses.at(instruction.extra);
}

/// The bits of the constant in that register.
std::optional<std::uint64_t> constant_at(const Program& program, std::uint32_t offset) {
  for (const auto& constant : program.constants) {
    if (constant.offset == offset) return constant.bits;
  }
  return std::nullopt;
}

/// What holds for every program.
void check(const Program& program) {
  ASSERT_EQ(program.leader.size(), program.code.size());
  ASSERT_FALSE(program.code.empty());
  EXPECT_EQ(program.leader[0], 1);
  const auto is_end = [](Kind kind) {
    return kind == Kind::kExit || kind == Kind::kBranch || kind == Kind::kBranchTable;
  };
  EXPECT_TRUE(is_end(program.code.back().kind) && program.code.back().guard == kNone);
  for (const auto& one : program.code) {
    const std::uint32_t numbers[] = {one.op.dst, one.op.dst2, one.op.a,
                                     one.op.b,   one.op.c,    one.op.d};
    for (int i = 0; i < 6; ++i) {
      if (numbers[i] == kNone) continue;
      EXPECT_EQ(numbers[i] % kSlot, 0u);
      EXPECT_GT(one.width[i], 0);
      EXPECT_LE(numbers[i] + one.width[i] * kSlot, program.file_bytes);
    }
    if (one.kind == Kind::kAlu) {
      EXPECT_NE(one.alu, nullptr);
    }
    if (one.kind == Kind::kBranch) {
      EXPECT_EQ(program.leader.at(one.extra), 1);
    }
    EXPECT_LT(one.line, program.lines.size());
  }
  for (const auto& table : program.tables) {
    for (const auto target : table) EXPECT_EQ(program.leader.at(target), 1);
  }
}

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

TEST(Lower, LowersBranchTables) {
  const auto program =
      lowered("ts: .branchtargets A, B, A;\nbrx.idx.uni %r1, ts;\nA: mov.u32 %r1, 1;\nB: ret;");
  check(program);
  ASSERT_EQ(program.tables.size(), 1u);
  EXPECT_EQ(program.tables[0][0], program.tables[0][2]);
  EXPECT_NE(program.tables[0][0], program.tables[0][1]);
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

TEST(Lower, RefusesRecursionPointersAndForeignFunctions) {
  const auto recursive = lower_text(".func f()\n{ call f; ret; }\n" + kernel("call f;\nret;"));
  ASSERT_FALSE(recursive);
  EXPECT_NE(recursive.error().message.find("recursive call f"), std::string::npos);
  const auto pointer = lower_text(kernel("p : .callprototype _();\ncall %rd1, (), p;\nret;"));
  ASSERT_FALSE(pointer);
  EXPECT_NE(pointer.error().message.find("through a pointer"), std::string::npos);
  const auto foreign =
      lower_text(".extern .func (.param .b32 r) vprintf(.param .b64 a);\n" +
                 kernel("{ .param .b32 r; .param .b64 a; call (r), vprintf, (a); }\nret;"));
  ASSERT_FALSE(foreign);
  EXPECT_NE(foreign.error().message.find("call vprintf"), std::string::npos);
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

TEST(Lower, SaysWhichKernelsThereAre) {
  const auto program = lower_text(kernel("ret;"), "other");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, ErrorCode::kNotFound);
  EXPECT_NE(program.error().hint.find("k"), std::string::npos);
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

}  // namespace
}  // namespace kp::vgpu
