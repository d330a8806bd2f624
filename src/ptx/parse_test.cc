// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace kp::ptx {
namespace {

constexpr std::string_view kHead = ".version 9.0\n.target sm_90\n.address_size 64\n";

Module read(const std::string& text) {
  auto module = parse(std::string(kHead) + text);
  EXPECT_TRUE(module) << module.error().text();
  return module ? *std::move(module) : Module{};
}

/// The body of a kernel that holds these lines.
Function body(const std::string& lines) {
  auto module = read(".visible .entry k()\n{\n" + lines + "\n}\n");
  return module.functions.empty() ? Function{} : module.functions[0];
}

Instruction instruction(const std::string& line) {
  const auto function = body(line);
  const auto* first = function.body.empty() ? nullptr : std::get_if<Instruction>(&function.body[0]);
  EXPECT_NE(first, nullptr) << line;
  return first != nullptr ? *first : Instruction{};
}

template <class T>
T operand(const Instruction& instruction, std::size_t index) {
  if (index >= instruction.operands.size()) {
    ADD_FAILURE() << "no operand " << index;
    return {};
  }
  const auto* value = std::get_if<T>(&instruction.operands[index].value);
  EXPECT_NE(value, nullptr) << "operand " << index << " is of another kind";
  return value != nullptr ? *value : T{};
}

std::string error_of(const std::string& text) {
  const auto module = parse(text, "k.ptx");
  return module ? "no error" : module.error().text();
}

TEST(Parse, KeepsVersionAndTarget) {
  const auto module =
      parse(".version 9.0\n.target sm_90a, texmode_independent\n.address_size 64\n");
  ASSERT_TRUE(module);
  EXPECT_EQ(module->version, "9.0");
  EXPECT_EQ(module->target, "sm_90a,texmode_independent");
}

TEST(Parse, SplitsAnOpcodeIntoModifiers) {
  const auto load =
      instruction("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1, %f2, _, %f4}, [%rd1+-16];");
  EXPECT_EQ(load.opcode, "ld");
  EXPECT_EQ(load.form(), "ld.global.nc.L1::no_allocate.L2::128B.v4.f32");
  EXPECT_TRUE(load.has("nc"));
  EXPECT_EQ(load.type(), Type::kF32);
  const auto vector = operand<Vector>(load, 0);
  ASSERT_EQ(vector.parts.size(), 4u);
  EXPECT_TRUE(std::holds_alternative<Sink>(vector.parts[2].value));
  EXPECT_EQ(operand<Address>(load, 1).offset, -16);
  EXPECT_EQ(std::get<RegisterName>(operand<Address>(load, 1).base).name, "%rd1");
}

TEST(Parse, CountsTypesFromTheEnd) {
  const auto convert = instruction("cvt.rn.f16x2.f32 %r1, %f1, %f2;");
  EXPECT_EQ(convert.type(0), Type::kF32);
  EXPECT_EQ(convert.type(1), Type::kF16x2);
  EXPECT_EQ(convert.type(2), Type::kNone);
}

TEST(Parse, ReadsEveryKindOfLiteral) {
  const auto bits = [](const std::string& literal) {
    return operand<Immediate>(instruction("mov.b64 %rd1, " + literal + ";"), 1);
  };
  EXPECT_EQ(bits("42").bits, 42u);
  EXPECT_EQ(bits("-1").bits, ~0ull);
  EXPECT_EQ(bits("0x1F").bits, 31u);
  EXPECT_EQ(bits("0b101").bits, 5u);
  EXPECT_EQ(bits("017").bits, 15u);
  EXPECT_EQ(bits("0").bits, 0u);
  EXPECT_EQ(bits("7U").type, Type::kU64);
  EXPECT_EQ(bits("0f3F800000").bits, 0x3f800000u);
  EXPECT_EQ(bits("0f3F800000").type, Type::kF32);
  EXPECT_EQ(bits("-0f3F800000").bits, 0xbf800000u);
  EXPECT_EQ(bits("0d3FF0000000000000").bits, 0x3ff0000000000000u);
  EXPECT_EQ(bits("1.5e-1").type, Type::kF64);
  EXPECT_EQ(bits("WARP_SZ").bits, 32u);
}

TEST(Parse, ReadsGuardsPairsAndNegatedPredicates) {
  const auto setp = instruction("@!%p3 setp.lt.and.f32 %p1|%p2, %f1, 0f00000000, !%p4;");
  ASSERT_TRUE(setp.guard);
  EXPECT_EQ(setp.guard->name, "%p3");
  EXPECT_TRUE(setp.guard->negated);
  EXPECT_EQ(operand<Pair>(setp, 0).second.name, "%p2");
  EXPECT_TRUE(operand<RegisterName>(setp, 3).negated);
}

TEST(Parse, PutsCoordinatesInBracketsBehindTheAddress) {
  const auto copy = instruction(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, "
      "{%r2, %r3}], [%r4];");
  ASSERT_EQ(copy.operands.size(), 4u);
  EXPECT_EQ(operand<Vector>(copy, 2).parts.size(), 2u);
}

TEST(Parse, KeepsTheOperandsOfACallInOrder) {
  const auto call = instruction("call.uni (retval0), \n callee, \n ( \n param0, param1 \n );");
  EXPECT_EQ(operand<Vector>(call, 0).parts.size(), 1u);
  EXPECT_EQ(operand<Symbol>(call, 1).name, "callee");
  EXPECT_EQ(operand<Vector>(call, 2).parts.size(), 2u);
}

TEST(Parse, RenamesWhatInnerScopesDeclare) {
  const auto function = body(
      ".reg .u32 %r<4>;\n{ .reg .u32 t; mov.u32 t, %smid; }\n"
      "{ .reg .u32 t; .reg .b32 q<2>; mov.u32 t, q1; bra L; L: mov.u32 %r1, t; }\nL: ret;");
  std::vector<std::string> first_operands, labels;
  for (const auto& statement : function.body) {
    if (const auto* label = std::get_if<Label>(&statement)) labels.push_back(label->name);
    const auto* one = std::get_if<Instruction>(&statement);
    if (one != nullptr && one->opcode == "mov")
      first_operands.push_back(operand<RegisterName>(*one, 0).name);
  }
  ASSERT_EQ(first_operands.size(), 3u);
  EXPECT_NE(first_operands[0], first_operands[1]);
  EXPECT_EQ(first_operands[0].substr(0, 2), "t@");
  EXPECT_EQ(first_operands[2], "%r1");
  ASSERT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels[1], "L");
  const auto& jump = std::get<Instruction>(function.body[2]);
  EXPECT_EQ(operand<Symbol>(jump, 0).name, labels[0]);
  EXPECT_NE(labels[0], "L");
}

TEST(Parse, ReadsVariablesWithInitialValues) {
  const auto module = read(
      ".global .align 4 .b8 bytes[4] = {1, 2};\n"
      ".visible .global .align 8 .u64 ptrs[2] = {generic(bytes)+4, 7};\n"
      ".const .f32 half = 0.5;\n.extern .shared .align 16 .b8 dyn[];\n"
      ".shared .f32 tile[4][33];\n.global .s16 neg = -2;\n");
  ASSERT_EQ(module.globals.size(), 6u);
  EXPECT_EQ(module.globals[0].bytes(), 4u);
  EXPECT_EQ(module.globals[0].initial.size(), 2u);
  ASSERT_EQ(module.globals[1].relocations.size(), 1u);
  EXPECT_EQ(module.globals[1].relocations[0], (std::pair<std::uint64_t, std::string>{0, "bytes"}));
  EXPECT_EQ(module.globals[1].initial[0], std::byte{4});
  EXPECT_EQ(module.globals[1].initial[8], std::byte{7});
  EXPECT_EQ(module.globals[2].initial[3], std::byte{0x3f});
  EXPECT_TRUE(module.globals[3].is_extern);
  EXPECT_EQ(module.globals[3].elements, 0u);
  EXPECT_EQ(module.globals[4].bytes(), 4u * 33 * 4);
  EXPECT_EQ(module.globals[5].initial[0], std::byte{0xfe});
}

TEST(Parse, ReadsBranchTables) {
  const auto function = body("ts: .branchtargets A, B;\nbrx.idx %r1, ts;\nA: ret;\nB: ret;");
  ASSERT_EQ(function.tables.size(), 1u);
  EXPECT_EQ(function.tables[0].labels, (std::vector<std::string>{"A", "B"}));
}

TEST(Parse, ReadsPerformanceDirectives) {
  const auto module = read(
      ".entry k(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 b[24])\n"
      ".maxntid 256, 2\n.minnctapersm 3\n.maxnreg 64\n.pragma \"x\";\n{ ret; }\n");
  const auto& function = module.functions.at(0);
  EXPECT_EQ(function.max_threads[0], 256u);
  EXPECT_EQ(function.max_threads[1], 2u);
  EXPECT_FALSE(function.max_threads[2]);
  EXPECT_EQ(function.min_blocks, 3u);
  EXPECT_EQ(function.parameters.at(0).align, 0u);  // the pointee's alignment is not the parameter's
  EXPECT_EQ(function.parameters.at(1).bytes(), 24u);
}

TEST(Parse, PrefersADefinitionToItsDeclaration) {
  const auto module = read(".func f();\n.func f()\n{ ret; }\n");
  ASSERT_NE(module.find("f"), nullptr);
  EXPECT_FALSE(module.find("f")->body.empty());
  EXPECT_EQ(module.find("g"), nullptr);
}

TEST(Parse, LeadsInlinedHeaderLinesToTheUsersLine) {
  const auto function = body(
      ".loc 1 10 0\n.loc 1 24 3\nmov.u32 %r1, 1;\n"
      ".loc 3 5 1, function_name $L__info_string1, inlined_at 1 24 3\nmov.u32 %r1, 2;\n"
      ".loc 4 9 1, function_name $L__info_string2+8, inlined_at 3 5 1\nmov.u32 %r1, 3;\n"
      ".loc 1 7 2, function_name $L__info_string3, inlined_at 1 30 1\nmov.u32 %r1, 4;");
  std::vector<int> lines;
  for (const auto& statement : function.body) {
    const auto& location = std::get<Instruction>(statement).location;
    EXPECT_EQ(location.file, 1);
    lines.push_back(location.line);
  }
  EXPECT_EQ(lines, (std::vector<int>{24, 24, 24, 7}));
}

TEST(Parse, SkipsSectionsAndComments) {
  const auto module = read(
      "/* a\n comment */ .section .debug_str {\n$L__info_string0:\n.b8 95,90\n}\n// end\n"
      ".file 1 \"k.cu\", 12, 34\n");
  ASSERT_EQ(module.files.size(), 2u);
  EXPECT_EQ(module.files[1], "k.cu");
}

TEST(Parse, ReadsWhatTheCompilerEmits) {
  const auto text = read_file(Path(KP_SOURCE_DIR) / "src/ptx/testdata/kernels.ptx");
  ASSERT_TRUE(text);
  const auto module = parse(*text);
  ASSERT_TRUE(module) << module.error().text();
  for (const char* name : {"calls", "grid_barrier", "inline_assembly", "local_array", "choose"}) {
    ASSERT_NE(module->find(name), nullptr) << name;
    EXPECT_TRUE(module->find(name)->is_entry);
    EXPECT_GT(module->find(name)->body.size(), 5u);
  }
}

TEST(Parse, SaysWhereAndWhatIsWrong) {
  const std::string head(kHead);
  EXPECT_NE(error_of("hello").find("k.ptx:1:1: PTX starts with .version, found 'hello'"),
            std::string::npos);
  EXPECT_NE(error_of(head + ".entry k()\n{ mov.u32 %r1, ; }").find("k.ptx:5:16: expected a number"),
            std::string::npos);
  EXPECT_NE(error_of(head + ".entry k()\n{ ret; ").find("found 'the end'"), std::string::npos);
  EXPECT_NE(error_of(head + "/* open").find("expected a directive"), std::string::npos);
  EXPECT_NE(error_of(".version 9.0\n.address_size 32").find("64-bit"), std::string::npos);
}

TEST(Parse, RefusesWhatIsTooDeepOrTooLarge) {
  const std::string head = std::string(kHead) + ".entry k()\n{ ";
  EXPECT_NE(error_of(head + std::string(100'000, '{')).find("too deeply"), std::string::npos);
  EXPECT_NE(error_of(head + "mov.b64 " + std::string(100'000, '{')).find("too deeply"),
            std::string::npos);
  EXPECT_NE(error_of(head + "ld.u32 %r1, " + std::string(100'000, '[')).find("expected a number"),
            std::string::npos);
  std::string brackets;
  for (int i = 0; i < 10'000; ++i) brackets += "[%r1,";
  EXPECT_NE(error_of(head + "ld.u32 " + brackets).find("too deeply"), std::string::npos);
  EXPECT_NE(error_of(std::string(kHead) + ".global .b8 x[99999999999999999];").find("too large"),
            std::string::npos);
  EXPECT_NE(error_of(std::string((64u << 20) + 1, ' ')).find("the most is"), std::string::npos);
}

TEST(Parse, SurvivesEveryPrefixOfRealText) {
  const auto text = read_file(Path(KP_SOURCE_DIR) / "src/ptx/testdata/kernels.ptx");
  ASSERT_TRUE(text);
  const std::string_view all(*text);
  std::size_t refused = 0;
  for (std::size_t length = 0; length < all.size(); length += 97)
    refused += !parse(all.substr(0, length));
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace kp::ptx
