// SPDX-License-Identifier: Apache-2.0
#include "vgpu/footprint.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace kp::vgpu {
namespace {

constexpr std::uint32_t kFull = 0xffff'ffff;
constexpr std::uint64_t kStart = 0x7000'0000'0000;

using Addresses = std::array<std::uint64_t, kLanes>;
using Offsets = std::array<std::uint32_t, kLanes>;

Addresses addresses(const std::function<std::uint64_t(unsigned)>& of_lane) {
  Addresses result{};
  for (unsigned lane = 0; lane < kLanes; ++lane) result[lane] = of_lane(lane);
  return result;
}
Addresses strided(std::uint64_t stride, std::uint64_t start = kStart) {
  return addresses([=](unsigned lane) { return start + lane * stride; });
}
Offsets offsets(const std::function<unsigned(unsigned)>& of_lane) {
  Offsets result{};
  for (unsigned lane = 0; lane < kLanes; ++lane) result[lane] = of_lane(lane);
  return result;
}

struct PackedCase {
  unsigned lane_bytes, sectors, lines;
};
class Packed : public testing::TestWithParam<PackedCase> {};
TEST_P(Packed, AFullWarpNeedsAsManySectorsAsItsBytes) {
  const auto [lane_bytes, sectors, lines] = GetParam();
  const Footprint print(strided(lane_bytes), kFull, lane_bytes);
  EXPECT_EQ(print.sectors(), sectors);
  EXPECT_EQ(print.lines().size(), lines);
  EXPECT_EQ(print.bytes(), 32 * lane_bytes);
  EXPECT_TRUE(print.unit_stride());
}
INSTANTIATE_TEST_SUITE_P(Widths, Packed,
                         testing::Values(PackedCase{1, 1, 1}, PackedCase{2, 2, 1},
                                         PackedCase{4, 4, 1}, PackedCase{8, 8, 2},
                                         PackedCase{16, 16, 4}));

TEST(Footprint, AMisalignedWarpTouchesOneSectorMore) {
  const Footprint print(strided(4, kStart + 4), kFull, 4);
  EXPECT_EQ(print.sectors(), 5u);
  EXPECT_EQ(print.lines().size(), 2u);
  EXPECT_EQ(print.bytes(), 128u);
  EXPECT_TRUE(print.unit_stride());
}

TEST(Footprint, AWideStrideTouchesASectorForEachLane) {
  const Footprint print(strided(4096 * 4), kFull, 4);
  EXPECT_EQ(print.sectors(), 32u);
  EXPECT_EQ(print.lines().size(), 32u);
  EXPECT_EQ(print.bytes(), 128u);
  EXPECT_FALSE(print.unit_stride());
}

TEST(Footprint, EveryOtherWordWastesHalfOfEachSector) {
  const Footprint print(strided(8), kFull, 4);
  EXPECT_EQ(print.sectors(), 8u);
  EXPECT_EQ(print.bytes(), 128u);
}

TEST(Footprint, ABroadcastIsOneSectorAndFourBytes) {
  const Footprint print(strided(0), kFull, 4);
  EXPECT_EQ(print.sectors(), 1u);
  EXPECT_EQ(print.bytes(), 4u);
  EXPECT_FALSE(print.unit_stride());
}

TEST(Footprint, TheOrderOfLanesDoesNotMatterForSectors) {
  const Footprint print(addresses([](unsigned lane) { return kStart + (31 - lane) * 4; }), kFull,
                        4);
  EXPECT_EQ(print.sectors(), 4u);
  EXPECT_FALSE(print.unit_stride());
}

TEST(Footprint, OnlyActiveLanesCount) {
  const Footprint print(strided(4), 0x0000'00ff, 4);
  EXPECT_EQ(print.sectors(), 1u);
  EXPECT_EQ(print.bytes(), 32u);
  EXPECT_TRUE(print.unit_stride());
  EXPECT_EQ(Footprint(strided(4), 0, 4).sectors(), 0u);
}

TEST(Footprint, ActiveLanesWithHolesBetweenThemAreNotUnitStride) {
  EXPECT_FALSE(Footprint(strided(4), 0x5555'5555, 4).unit_stride());
}

TEST(Footprint, LocalWordsOfAWarpLieSideBySide) {
  const Footprint one_word = Footprint::local(strided(0, 8), kFull, 4, kStart);
  EXPECT_EQ(one_word.sectors(), 4u);
  EXPECT_EQ(one_word.lines().size(), 1u);
  EXPECT_EQ(one_word.bytes(), 128u);
  const Footprint two_words = Footprint::local(strided(0, 8), kFull, 8, kStart);
  EXPECT_EQ(two_words.sectors(), 8u);
  const Footprint own_word = Footprint::local(strided(4, 0), kFull, 4, kStart);
  EXPECT_EQ(own_word.sectors(), 32u);
}

TEST(LanesWithCompany, CountsLanesThatShareAnAddress) {
  EXPECT_EQ(address_sharing(strided(0), kFull).company, 32u);
  EXPECT_EQ(address_sharing(strided(0), kFull).addresses, 1u);
  EXPECT_EQ(address_sharing(strided(4), kFull).company, 0u);
  EXPECT_EQ(address_sharing(strided(4), kFull).addresses, 32u);
  EXPECT_EQ(
      address_sharing(addresses([](unsigned lane) { return kStart + lane / 2 * 4; }), 0x7).company,
      2u);
}

struct BankCase {
  const char* name;
  std::function<unsigned(unsigned)> offset;
  unsigned lane_bytes;
  std::uint32_t active;
  unsigned wavefronts, fewest;
};
class Banks : public testing::TestWithParam<BankCase> {};
TEST_P(Banks, MatchTheHandComputedPasses) {
  const BankCase& expected = GetParam();
  const BankUse use =
      bank_use(offsets(expected.offset), expected.active, expected.lane_bytes, false);
  EXPECT_EQ(use.wavefronts, expected.wavefronts);
  EXPECT_EQ(use.fewest, expected.fewest);
}
const BankCase kBankCases[] = {
    {"row", [](unsigned l) { return l * 4; }, 4, kFull, 1, 1},
    {"column_of_32", [](unsigned l) { return l * 32 * 4; }, 4, kFull, 32, 1},
    {"column_of_33", [](unsigned l) { return l * 33 * 4; }, 4, kFull, 1, 1},
    {"stride_2", [](unsigned l) { return l * 8; }, 4, kFull, 2, 1},
    {"stride_3", [](unsigned l) { return l * 12; }, 4, kFull, 1, 1},
    {"stride_16", [](unsigned l) { return l * 64; }, 4, kFull, 16, 1},
    {"broadcast", [](unsigned) { return 64u; }, 4, kFull, 1, 1},
    {"two_words_of_one_bank", [](unsigned l) { return l % 2 * 128; }, 4, kFull, 2, 1},
    {"half_the_column", [](unsigned l) { return l * 128; }, 4, 0xffff, 16, 1},
    {"bytes", [](unsigned l) { return l; }, 1, kFull, 1, 1},
    {"halves", [](unsigned l) { return l * 2; }, 2, kFull, 1, 1},
    {"column_of_halves", [](unsigned l) { return l * 64; }, 2, kFull, 16, 1},
    {"doubles", [](unsigned l) { return l * 8; }, 8, kFull, 2, 2},
    {"column_of_32_doubles", [](unsigned l) { return l * 256; }, 8, kFull, 32, 2},
    {"column_of_33_doubles", [](unsigned l) { return l * 264; }, 8, kFull, 2, 2},
    {"float4", [](unsigned l) { return l * 16; }, 16, kFull, 4, 4},
    {"float4_every_other", [](unsigned l) { return l * 32; }, 16, kFull, 8, 4},
    {"column_of_float4", [](unsigned l) { return l * 128; }, 16, kFull, 32, 4},
    {"float4_broadcast", [](unsigned) { return 0u; }, 16, kFull, 2, 2},
    {"float4_in_pairs", [](unsigned l) { return l / 2 * 16; }, 16, kFull, 2, 2},
    {"one_quarter_of_float4", [](unsigned l) { return l * 16; }, 16, 0xff00, 1, 1},
};
INSTANTIATE_TEST_SUITE_P(Shared, Banks, testing::ValuesIn(kBankCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(BankUse, AtomicsOnOneWordTakeTurns) {
  const Offsets same = offsets([](unsigned) { return 0u; });
  EXPECT_EQ(bank_use(same, kFull, 4, true).wavefronts, 32u);
  EXPECT_EQ(bank_use(same, 0xf, 4, true).wavefronts, 4u);
  EXPECT_EQ(bank_use(offsets([](unsigned l) { return l * 4; }), kFull, 4, true).wavefronts, 1u);
}

}  // namespace
}  // namespace kp::vgpu
