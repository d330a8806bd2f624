// SPDX-License-Identifier: Apache-2.0
// testdata/sass holds what nvdisasm and cuobjdump 13.0 print of small kernels for sm_90.
#include "profile/sass_text.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace kp::profile {
namespace {

std::vector<SassFunction> recorded(const std::string& file) {
  const auto text = read_file(Path(KP_SOURCE_DIR "/src/profile/testdata/sass") / file);
  EXPECT_TRUE(text);
  auto functions = read_sass(*text);
  EXPECT_TRUE(functions) << functions.error().text();
  return *functions;
}

const SassInstruction& at(const SassFunction& function, std::uint64_t address) {
  for (const SassInstruction& instruction : function.code) {
    if (instruction.address == address) return instruction;
  }
  ADD_FAILURE() << "no instruction at " << address;
  return function.code.front();
}

TEST(SassText, HasEveryFunctionOfACubinWithoutPadding) {
  const auto functions = recorded("nvdisasm.txt");
  ASSERT_EQ(functions.size(), 6u);
  const SassFunction& hist = functions[1];
  EXPECT_EQ(hist.name, "_Z4histPKiPii");
  EXPECT_EQ(hist.architecture, "sm_90");
  ASSERT_EQ(hist.code.size(), 20u);
  EXPECT_EQ(hist.code.back().opcode, "EXIT");
  EXPECT_EQ(at(hist, 0x120).opcode, "REDG.E.ADD.STRONG.GPU");
  EXPECT_EQ(at(hist, 0x120).operands, "desc[UR4][R4.64], R7");
  EXPECT_EQ(at(hist, 0x70).predicate, "@P0");
}

TEST(SassText, KnowsWhereBranchesAndCallsGo) {
  const auto functions = recorded("nvdisasm.txt");
  const SassFunction& strided = *find_function(functions, "_Z7stridedPKfPfii");
  EXPECT_EQ(at(strided, 0x100).targets, std::vector<std::uint64_t>{0x160});
  EXPECT_EQ(at(strided, 0x120).targets, std::vector<std::uint64_t>{0x320}) << "a subroutine";
  EXPECT_TRUE(at(strided, 0xc0).targets.empty()) << "BSSY names a label but does not jump";
  EXPECT_TRUE(at(strided, 0x800).targets.empty()) << "RET names the kernel";
}

TEST(SassText, OfBothProgramsIsTheSameCode) {
  const auto ours = recorded("nvdisasm.txt");
  const auto dumped = recorded("cuobjdump.txt");
  ASSERT_EQ(dumped.size(), 3u);
  for (const SassFunction& function : dumped) {
    const SassFunction* twin = find_function(ours, function.name);
    ASSERT_NE(twin, nullptr);
    EXPECT_EQ(function.architecture, "sm_90");
    ASSERT_EQ(function.code.size(), twin->code.size());
    for (std::size_t i = 0; i < function.code.size(); ++i) {
      EXPECT_EQ(function.code[i].address, twin->code[i].address);
      EXPECT_EQ(function.code[i].opcode, twin->code[i].opcode);
      EXPECT_EQ(function.code[i].predicate, twin->code[i].predicate);
      EXPECT_EQ(function.code[i].targets, twin->code[i].targets);
    }
  }
}

TEST(SassText, PassesOverLineComments) {
  EXPECT_EQ(find_function(recorded("nvdisasm_g.txt"), "_Z3addPKfS0_Pfi")->code.size(), 20u);
}

TEST(SassText, FollowsTheListOfAnIndirectBranch) {
  const auto functions = read_sass(R"(  .section .text.k,"ax",@progbits
k:
        /*0000*/                   BRX R2 -0x10 (*"BRANCH_TARGETS .L_x_0,.L_x_1"*) ;
.L_x_0:
        /*0010*/                   NOP ;
.L_x_1:
        /*0020*/                   EXIT ;
)");
  ASSERT_TRUE(functions);
  EXPECT_EQ(functions->front().code[0].targets, (std::vector<std::uint64_t>{0x10, 0x20}));
}

TEST(SassText, SuffixesAreWholeWords) {
  const SassInstruction load{.opcode = "LDG.E.LTC128B.64"};
  EXPECT_EQ(load.name(), "LDG");
  EXPECT_TRUE(load.has_suffix("64"));
  EXPECT_FALSE(load.has_suffix("128"));
  EXPECT_FALSE(load.has_suffix("LDG"));
}

TEST(SassText, SaysThatThereIsNoCode) {
  for (const char* text :
       {"", "nvdisasm fatal   : File is not a cubin", "\t.section\t.text.k,\n"}) {
    const auto functions = read_sass(text);
    ASSERT_FALSE(functions);
    EXPECT_EQ(functions.error().code, ErrorCode::kInvalidInput);
  }
}

TEST(FindFunction, KnowsTheNamesThatProfilersGive) {
  const auto functions = recorded("nvdisasm.txt");
  for (const char* name :
       {"void tensor<float>(const __half *, const __half *, T1 *, int)", "tensor",
        "void tensor<float>(__half const*, __half const*, float*, int)",
        "void (anonymous namespace)::tensor<float>(const __half *)"}) {
    const SassFunction* found = find_function(functions, name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->name, "_Z6tensorIfEvPK6__halfS2_PT_i");
  }
  EXPECT_EQ(find_function(functions, "tens"), nullptr);
  EXPECT_EQ(find_function(functions, "tensor", "sm_80"), nullptr);
}

TEST(FindFunction, DoesNotGuessAmongSeveral) {
  const std::vector<SassFunction> functions{{.name = "_Z1kIfEvPT_"}, {.name = "_Z1kIdEvPT_"}};
  EXPECT_EQ(find_function(functions, "void k<float>(T1 *)"), nullptr);
  EXPECT_EQ(find_function(functions, "_Z1kIdEvPT_"), &functions[1]);
}

}  // namespace
}  // namespace kp::profile
