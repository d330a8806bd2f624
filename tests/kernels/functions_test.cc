// SPDX-License-Identifier: Apache-2.0
// Calls that are not inlined, and variables of the module.
#include <algorithm>
#include <array>
#include <numeric>

#include "kernels/compiled.h"

namespace kp::vgpu {
namespace {

KP_COMPILED(Functions, "functions");

int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int walk(int n) {
  int mine[8];
  for (int k = 0; k < 8; ++k) mine[k] = n * k;
  int sum = n > 0 ? walk(n - 1) : 0;
  for (int k = 0; k < 8; ++k) sum += mine[(k + n) & 7] * (k + 1);
  return sum;
}

TEST_P(Functions, RecursionKeepsTheRegistersAndArraysOfEveryCall) {
  const auto y = output<int>("y", 4 * 64);
  run("recursion", grid_of(2, 64), y);
  const auto got = values<int>(y, 4 * 64);
  for (int i = 0; i < 64; ++i) {
    std::array<int, 16> a;
    for (int k = 0; k < 16; ++k) a[std::size_t(k)] = (k * 37 + i * 11) % 101;
    std::sort(a.begin(), a.end());
    const int hash = int(std::accumulate(
        a.begin(), a.end(), 0u, [](unsigned h, int each) { return h * 31 + unsigned(each); }));
    const std::array<int, 4> expected{fib(i % 12), i % 2 == 0, hash, walk(i % 7)};
    for (std::size_t k = 0; k < 4; ++k)
      ASSERT_EQ(got[std::size_t(i) * 4 + k], expected[k]) << i << " " << k;
  }
}

TEST_P(Functions, PointersCallWhatTheyPointTo) {
  const auto y = output<int>("y", 3 * 32);
  for (const int which : {0, 1}) {
    run("pointers", grid_of(1, 32), y, which);
    const auto got = values<int>(y, 3 * 32);
    for (int i = 0; i < 32; ++i) {
      EXPECT_EQ(got[std::size_t(i) * 3], which == 0 ? i + 3 : i * 3);
      EXPECT_EQ(got[std::size_t(i) * 3 + 1], i % 3 == 0 ? i + 5 : i % 3 == 1 ? i * 5 : i - 5);
      EXPECT_EQ(got[std::size_t(i) * 3 + 2], i % 2 != 0 ? i + 7 : i - 7);
    }
  }
}

TEST_P(Functions, VirtualFunctionsBelongToTheirObject) {
  const auto y = output<int>("y", 32);
  run("virtuals", grid_of(1, 32), y);
  const auto got = values<int>(y, 32);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(got[std::size_t(i)], i % 2 != 0 ? i * i + 2 : i - 2);
}

TEST_P(Functions, ModuleVariablesPointToEachOther) {
  const auto y = output<int>("y", 4 * 32);
  const auto z = output<float>("z", 32);
  run("statics", grid_of(1, 32), y, z);
  const auto got = values<int>(y, 4 * 32);
  const auto weights = values<float>(z, 32);
  const int second[] = {4, 1, 5};
  for (int i = 0; i < 32; ++i) {
    const auto at = std::size_t(i) * 4;
    EXPECT_EQ(got[at], second[i % 3] + (i == 0 ? 3 : 3));
    EXPECT_EQ(got[at + 1], "kernel"[i % 6]);
    EXPECT_EQ(got[at + 2], 12);
    EXPECT_EQ(got[at + 3], 1);
    EXPECT_EQ(weights[std::size_t(i)], float(i % 4) + 0.5f);
  }
}

TEST_P(Functions, SwitchesJumpThroughTables) {
  std::vector<int> x(64);
  for (int i = 0; i < 64; ++i) x[std::size_t(i)] = i % 12;
  const auto px = tensor("x", x), y = output<int>("y", 64);
  run("switches", grid_of(1, 64), px, y);
  const auto got = values<int>(y, 64);
  for (int i = 0; i < 64; ++i) {
    const int ways[] = {i * 3 + 1, i ^ 55, i << 3,   i / 7,  i % 5 - 2,
                        -i,        i * i,  1000 - i, i | 64, std::popcount(unsigned(i)),
                        77,        77};
    EXPECT_EQ(got[std::size_t(i)], ways[i % 12]) << i;
  }
}

TEST_P(Functions, StructuresPassThroughCalls) {
  struct Big {
    int v[12];
  } big;
  std::iota(std::begin(big.v), std::end(big.v), 3);
  const auto y = output<int>("y", 32);
  run("structs", grid_of(1, 32), y, big);
  const auto got = values<int>(y, 32);
  for (int i = 0; i < 32; ++i) {
    int sum = 0;
    for (int k = 0; k < 12; ++k) sum += (big.v[11 - k] + i) * (k + 1);
    EXPECT_EQ(got[std::size_t(i)], sum);
  }
}

TEST_P(Functions, PrintfDoesNothing) {
  const auto y = tensor("y", std::vector<int>(32, 1));
  run("prints", grid_of(1, 32), y);
  EXPECT_EQ(values<int>(y, 32), std::vector<int>(32, 4));
}

TEST_P(Functions, AFailedAssertionIsATrap) {
  std::vector<int> x(32, 1);
  x[7] = -1;
  const auto px = tensor("x", x), y = output<int>("y", 32);
  const auto result =
      launch("asserts", grid_of(1, 32), {.mode = GetParam(), .instruction_budget = 1000}, px, y);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kTrap);
  EXPECT_EQ(result.fault->thread[0], 7u);
  EXPECT_EQ(result.fault->spot.file, "functions.cu");
}

TEST_P(Functions, EndlessRecursionOverflowsTheStack) {
  const auto y = output<int>("y", 32);
  const auto result = launch("endless", grid_of(1, 32),
                             {.mode = GetParam(), .instruction_budget = 1'000'000}, y, -1);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::kMemory);
  EXPECT_NE(result.fault->message.find("overflows the stack"), std::string::npos);
  EXPECT_GT(result.fault->spot.line, 0);
}

}  // namespace
}  // namespace kp::vgpu
