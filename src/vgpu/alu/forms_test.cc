// SPDX-License-Identifier: Apache-2.0
// What holds for every form: inactive lanes keep their values, active ones do not depend on them.
#include "vgpu/alu/forms.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "vgpu/alu/warp_fixture.h"

namespace kp::vgpu {
namespace {

constexpr std::uint32_t kRoom = 4096;  // of each operand; the widest fragment is 16 * 128 bytes

std::vector<Forms> families(AluLevel level) {
  if (level == AluLevel::kV3)
    return {v3::approx_forms(),     v3::bits_forms(),    v3::carry_forms(),
            v3::compare_forms(),    v3::convert_forms(), v3::convert_float_forms(),
            v3::double_forms(),     v3::float_forms(),   v3::half_forms(),
            v3::integer_forms(),    v3::move_forms(),    v3::tensor_forms(),
            v3::collective_forms(), v3::video_forms()};
  return {baseline::approx_forms(),     baseline::bits_forms(),    baseline::carry_forms(),
          baseline::compare_forms(),    baseline::convert_forms(), baseline::convert_float_forms(),
          baseline::double_forms(),     baseline::float_forms(),   baseline::half_forms(),
          baseline::integer_forms(),    baseline::move_forms(),    baseline::tensor_forms(),
          baseline::collective_forms(), baseline::video_forms()};
}

using File = std::vector<std::byte>;

File noise(std::uint64_t seed) {
  File file(6 * kRoom);
  for (auto& byte : file) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::byte>(seed >> 56);
  }
  return file;
}

File run(const Entry& entry, File file, std::uint32_t active) {
  Operands op{0, kRoom, 2 * kRoom, 3 * kRoom, 4 * kRoom, 5 * kRoom, 0xca};
  if (entry.lane_bytes[1] == 0) op.dst2 = kNone;
  entry.run(file.data(), op, active);
  return file;
}

/// Whether two runs with complementary masks wrote different bytes, and no source. The masks take
/// whole bytes of a predicate, so that no byte has lanes of both.
void expect_disjoint(const Entry& entry, const File& before, std::uint32_t active) {
  const File some = run(entry, before, active), others = run(entry, before, ~active);
  for (std::uint32_t at = 0; at < 2 * kRoom; ++at)
    ASSERT_TRUE(some[at] == before[at] || others[at] == before[at]) << entry.form << " at " << at;
  for (const File* after : {&some, &others})
    ASSERT_TRUE(std::equal(before.begin() + 2 * kRoom, before.end(), after->begin() + 2 * kRoom))
        << entry.form << " writes a source";
}

TEST(Forms, InactiveLanesAreLeftAlone) {
  const File before = noise(1);
  for (const AluLevel level : {AluLevel::kBaseline, best_alu_level()}) {
    for (const Forms& family : families(level)) {
      for (const Entry* entry = family.first; entry != family.first + family.count; ++entry) {
        expect_disjoint(*entry, before, 0x00ff'ff00U);
        expect_disjoint(*entry, before, 0x0000'00ffU);
        ASSERT_TRUE(run(*entry, before, 0) == before) << entry->form;
      }
    }
  }
}

bool reads_other_lanes(std::string_view form) {
  for (const std::string_view part :
       {"shfl", "vote", "match", "redux", "activemask", "elect", "mma"})
    if (form.find(part) != std::string_view::npos) return true;
  return false;
}

TEST(Forms, ActiveLanesComputeTheSameWhateverTheOthersDo) {
  const File before = noise(2);
  for (const Forms& family : families(best_alu_level())) {
    for (const Entry* entry = family.first; entry != family.first + family.count; ++entry) {
      if (reads_other_lanes(entry->form)) continue;
      const File all = run(*entry, before, 0xffff'ffffU);
      File halves = run(*entry, before, 0x5a5a'0ff0U);
      halves = run(*entry, halves, ~0x5a5a'0ff0U);
      ASSERT_TRUE(all == halves) << entry->form;
    }
  }
}

TEST(Forms, BothLevelsComputeTheSameBits) {
  const auto low = families(AluLevel::kBaseline), high = families(best_alu_level());
  const File files[] = {noise(10), noise(11), noise(12)};
  for (std::size_t f = 0; f < low.size(); ++f) {
    ASSERT_EQ(low[f].count, high[f].count);
    for (std::size_t i = 0; i < low[f].count; ++i) {
      for (const File& before : files) {
        ASSERT_TRUE(run(low[f].first[i], before, 0xffff'ffffU) ==
                    run(high[f].first[i], before, 0xffff'ffffU))
            << low[f].first[i].form;
      }
    }
  }
}

}  // namespace
}  // namespace kp::vgpu
