// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/relocation.h"

#include <gtest/gtest.h>

#include <cstring>

namespace kp::device::cuda {
namespace {

constexpr std::uint64_t kFirst = 0x7000'0000'0000, kSecond = 0x7000'0040'0000;
const Moves kMoves{{kFirst, {100, 0x5000}}, {kSecond, {8, 0x9000}}};

nlohmann::json launch(std::vector<std::uint64_t> words) {
  std::vector<std::uint8_t> block(8 * words.size());
  std::memcpy(block.data(), words.data(), block.size());
  return {{"kernel", "k"},
          {"parameters", nlohmann::json::binary(block)},
          {"maps", nlohmann::json::array()}};
}

std::vector<std::uint64_t> words_of(const nlohmann::json& step) {
  const auto& block = step["parameters"].get_binary();
  std::vector<std::uint64_t> words(block.size() / 8);
  std::memcpy(words.data(), block.data(), block.size());
  return words;
}

TEST(RelocationTest, AddressesFollowTheirArrays) {
  nlohmann::json steps{launch({kFirst, kSecond, kFirst + 99, kSecond + 4})};
  ASSERT_TRUE(relocate(steps, kMoves));
  EXPECT_EQ(words_of(steps[0]), (std::vector<std::uint64_t>{0x5000, 0x9000, 0x5063, 0x9004}));
}

TEST(RelocationTest, OtherNumbersStay) {
  const std::vector<std::uint64_t> words{0, 7, kFirst - 1, kFirst + 100, kSecond + 8, ~0ull};
  nlohmann::json steps{launch(words)};
  ASSERT_TRUE(relocate(steps, kMoves));
  EXPECT_EQ(words_of(steps[0]), words);
}

TEST(RelocationTest, TensorMapsAndZeroedArraysFollow) {
  nlohmann::json mapped = launch({});
  mapped["maps"].push_back({{"address", kFirst + 16}});
  nlohmann::json steps{mapped, {{"zero", kSecond}, {"bytes", 8}}};
  ASSERT_TRUE(relocate(steps, kMoves));
  EXPECT_EQ(steps[0]["maps"][0]["address"], 0x5010u);
  EXPECT_EQ(steps[1]["zero"], 0x9000u);
}

TEST(RelocationTest, WhatIsNoStepIsRefused) {
  nlohmann::json steps{{{"kernel", "k"}}};
  EXPECT_FALSE(relocate(steps, kMoves));
  nlohmann::json none;
  EXPECT_FALSE(relocate(none, kMoves));
}

}  // namespace
}  // namespace kp::device::cuda
