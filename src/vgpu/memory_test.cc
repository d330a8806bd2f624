// SPDX-License-Identifier: Apache-2.0
#include "vgpu/memory.h"

#include <gtest/gtest.h>

#include "vgpu/bits.h"

namespace kp::vgpu {
namespace {

std::vector<std::byte> bytes(std::size_t count, int value) {
  return std::vector<std::byte>(count, std::byte(value));
}

TEST(Memory, AllocationsAreAlignedAndHaveGaps) {
  Memory memory(1 << 20);
  const auto a = memory.allocate(1000, "a"), b = memory.allocate(1000, "b");
  ASSERT_TRUE(a && b);
  EXPECT_GE(*a, kGlobalWindow);
  EXPECT_EQ(*a % 256, 0u);
  EXPECT_EQ(*b % 256, 0u);
  EXPECT_GE(*b - *a, 1000u + 4096u);
  EXPECT_EQ(memory.used(), 2000u);
}

TEST(Memory, AnAccessMustLieInsideOneAllocation) {
  Memory memory(1 << 20);
  const auto a = *memory.allocate(100, "a");
  EXPECT_NE(memory.find(a, 100), nullptr);
  EXPECT_NE(memory.find(a + 99, 1), nullptr);
  EXPECT_EQ(memory.find(a, 101), nullptr);
  EXPECT_EQ(memory.find(a + 97, 4), nullptr);
  EXPECT_EQ(memory.find(a - 1, 1), nullptr);
  EXPECT_EQ(memory.nearest(a + 200)->name, "a");
  EXPECT_EQ(memory.first_above(a - 10)->name, "a");
}

TEST(Memory, RefusesMoreThanTheDeviceHas) {
  Memory memory(1000);
  ASSERT_TRUE(memory.allocate(600, "a"));
  const auto more = memory.allocate(600, "tensor b");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::kLimit);
  EXPECT_NE(more.error().message.find("tensor b"), std::string::npos);
}

TEST(Memory, ReleaseGivesBackAndForgets) {
  Memory memory(1000);
  const auto a = *memory.allocate(600, "a");
  memory.release(a);
  EXPECT_EQ(memory.find(a, 1), nullptr);
  EXPECT_TRUE(memory.allocate(600, "b"));
}

TEST(Memory, KeepsWhatTheHostWrites) {
  Memory memory(1000);
  const auto a = *memory.allocate(100, "a");
  memory.write(a + 10, bytes(5, 7));
  auto got = bytes(7, 1);
  memory.read(a + 9, got);
  EXPECT_EQ(got.front(), std::byte{0});
  EXPECT_EQ(got[3], std::byte{7});
  EXPECT_EQ(got.back(), std::byte{0});
}

TEST(Memory, ShadowsKnowWrittenFromPoisoned) {
  Memory memory(10'000);
  const auto before = *memory.allocate(100, "before");
  memory.set_shadows(true);
  const auto a = *memory.allocate(1000, "a");
  EXPECT_EQ(memory.first_undefined(before, 100), std::nullopt);
  EXPECT_EQ(memory.first_undefined(a, 1000), a);
  memory.write(a, bytes(500, 1));
  EXPECT_EQ(memory.first_undefined(a, 500), std::nullopt);
  EXPECT_EQ(memory.first_undefined(a, 501), a + 500);
  memory.poison(a + 100, bytes(1, 0));
  EXPECT_EQ(memory.first_undefined(a, 500), a + 100);
  memory.set_shadows(false);
  EXPECT_EQ(memory.first_undefined(a, 1000), std::nullopt);
}

TEST(Bits, RunsCrossWords) {
  std::vector<std::uint64_t> words(4);
  set_bits(words, 60, 100, true);
  EXPECT_TRUE(all_bits(words, 60, 100));
  EXPECT_FALSE(all_bits(words, 59, 2));
  EXPECT_FALSE(all_bits(words, 159, 2));
  set_bits(words, 100, 1, false);
  EXPECT_FALSE(all_bits(words, 60, 100));
}

TEST(Memory, NeverPromisesMoreThanHalfOfTheMachinesMemory) {
  Memory memory(~std::uint64_t{0});
  const auto all = memory.allocate(1ull << 50, "buffer scratch");
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, ErrorCode::kLimit);
  EXPECT_NE(all.error().message.find("in half of this machine's memory"), std::string::npos)
      << all.error().message;
  // Nothing is written, so that the machine's free memory stays as it is.
  int given = 0;
  while (given < 10'000 && memory.allocate(1ull << 30, "part of scratch")) ++given;
  EXPECT_LT(given, 10'000);
}

}  // namespace
}  // namespace kp::vgpu
