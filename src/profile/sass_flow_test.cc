// SPDX-License-Identifier: Apache-2.0
#include "profile/sass_flow.h"

#include <gtest/gtest.h>

namespace kp::profile {
namespace {

/// One instruction a letter at addresses 0, 16, ...: "@BRA 0" jumps on a condition to the first.
SassFunction function(const std::vector<std::string>& lines) {
  std::string text = "\t\tFunction : k\n";
  char number[16];
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::snprintf(number, sizeof number, "/*%04zx*/ ", i * 16);
    std::string line = lines[i];
    const std::size_t target = line.find('#');
    char address[16];
    if (target != std::string::npos) {
      std::snprintf(address, sizeof address, "0x%lx", std::stoul(line.substr(target + 1)) * 16);
      line = line.substr(0, target) + address;
    }
    text += number + line + " ;\n";
  }
  auto read = read_sass(text);
  EXPECT_TRUE(read);
  return read->front();
}

std::string marks(const std::vector<bool>& which) {
  std::string text;
  for (const bool one : which) text += one ? 'x' : '.';
  return text;
}

TEST(SassFlow, WithoutLoopsReachesAllAndHasNoneInside) {
  const SassFlow flow = flow_of(function({"MOV", "@P0 BRA #3", "FADD", "EXIT"}));
  EXPECT_EQ(flow.loops, 0);
  EXPECT_EQ(marks(flow.reached), "xxxx");
  EXPECT_EQ(marks(flow.innermost), "....");
}

TEST(SassFlow, FindsTheInnerOfTwoLoops) {
  const SassFlow flow =
      flow_of(function({"MOV", "FADD", "FMUL", "@P0 BRA #2", "IADD3", "@P1 BRA #1", "EXIT"}));
  EXPECT_EQ(flow.loops, 1);
  EXPECT_EQ(marks(flow.innermost), "..xx...");
}

TEST(SassFlow, KeepsLoopsOneBehindTheOtherApart) {
  const SassFlow flow =
      flow_of(function({"FADD", "@P0 BRA #0", "MOV", "FMUL", "@P0 BRA #3", "EXIT"}));
  EXPECT_EQ(flow.loops, 2);
  EXPECT_EQ(marks(flow.innermost), "xx.xx.");
}

TEST(SassFlow, ALoopWithTwoWaysBackIsOne) {
  const SassFlow flow = flow_of(function({"FADD", "@P0 BRA #0", "FMUL", "@P1 BRA #0", "EXIT"}));
  EXPECT_EQ(flow.loops, 1);
  EXPECT_EQ(marks(flow.innermost), "xxxx.");
}

TEST(SassFlow, RareCodeAtTheEndThatJumpsBackIsNoLoop) {
  const SassFlow flow = flow_of(
      function({"MOV", "BRA.DIV UR4, #5", "SHFL", "FADD", "EXIT", "WARPSYNC", "SHFL", "BRA #3"}));
  EXPECT_EQ(flow.loops, 0);
  EXPECT_EQ(marks(flow.reached), "xxxxxxxx");
}

TEST(SassFlow, RareCodeAtTheEndBelongsToTheLoopThatItReturnsTo) {
  const SassFlow flow =
      flow_of(function({"MOV", "@P0 BRA #5", "FADD", "@P1 BRA #1", "EXIT", "MUFU", "BRA #2"}));
  EXPECT_EQ(flow.loops, 1);
  EXPECT_EQ(marks(flow.innermost), ".xxx.xx");
}

TEST(SassFlow, SubroutinesAreOnlyCalled) {
  const SassFlow flow = flow_of(function(
      {"MOV", "CALL.REL.NOINC #3", "EXIT", "FADD", "@P0 BRA #3", "RET.REL.NODEC R4 `(k)"}));
  EXPECT_EQ(marks(flow.reached), "xxx...");
  EXPECT_EQ(flow.loops, 0) << "a loop of the subroutine is none of the kernel's";
}

TEST(SassFlow, BranchesThatNameTheirPredicateAmongOperandsMayFallThrough) {
  const SassFlow flow = flow_of(function({"MOV", "BRA.U UP0, #3", "FADD", "EXIT"}));
  EXPECT_EQ(marks(flow.reached), "xxxx");
}

TEST(SassFlow, TargetsOutsideTheFunctionLeadNowhere) {
  EXPECT_EQ(marks(flow_of(function({"BRA #77", "EXIT"})).reached), "x.");
}

}  // namespace
}  // namespace kp::profile
