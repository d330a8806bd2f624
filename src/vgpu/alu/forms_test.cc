// SPDX-License-Identifier: Apache-2.0
// What holds for every form: inactive lanes keep their values, active ones do not depend on them.
#include "vgpu/alu/forms.h"

#include <gtest/gtest.h>

#include "vgpu/alu/warp_fixture.h"

namespace kp::vgpu {
namespace {

constexpr std::uint32_t kRoom = 4096;  // of each operand; the widest fragment is 16 * 128 bytes

std::vector<Forms> families(AluLevel level) {
  if (level == AluLevel::kV3)
    return {v3::approx_forms(),    v3::bits_forms(),    v3::carry_forms(),
            v3::compare_forms(),   v3::convert_forms(), v3::convert_float_forms(),
            v3::double_forms(),    v3::float_forms(),   v3::half_forms(),
            v3::integer_forms(),   v3::move_forms(),    v3::tensor_forms(),
            v3::collective_forms()};
  return {baseline::approx_forms(),    baseline::bits_forms(),    baseline::carry_forms(),
          baseline::compare_forms(),   baseline::convert_forms(), baseline::convert_float_forms(),
          baseline::double_forms(),    baseline::float_forms(),   baseline::half_forms(),
          baseline::integer_forms(),   baseline::move_forms(),    baseline::tensor_forms(),
          baseline::collective_forms()};
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

/// Lane that byte `at` of a result belongs to; a fragment or an unpacked vector is a run of
/// 128-byte rows.
bool owns(const Entry& entry, unsigned operand, std::uint32_t at, std::uint32_t active) {
  const unsigned bytes = entry.lane_bytes[operand];
  const bool doubles = bytes == 8 ||
                       std::string_view(entry.form).find("f64.f64.f64") != std::string::npos ||
                       std::string_view(entry.form) == "mov.b128.unpack2";
  const bool fragment = std::string_view(entry.form).find("mma") != std::string_view::npos ||
                        std::string_view(entry.form).find("unpack4") != std::string_view::npos;
  if (bytes == 16 && !doubles && !fragment) return (active >> (at / 16 % 32) & 1) != 0;
  if (doubles &&
      !(bytes == 8 && fragment && std::string_view(entry.form).find("f64") == std::string::npos))
    return (active >> (at / 8 % 32) & 1) != 0;
  return (active >> (at / 4 % 32) & 1) != 0;
}

TEST(Forms, InactiveLanesAreLeftAlone) {
  const File before = noise(1);
  for (const AluLevel level : {AluLevel::kBaseline, best_alu_level()}) {
    for (const Forms& family : families(level)) {
      for (const Entry* entry = family.first; entry != family.first + family.count; ++entry) {
        for (const std::uint32_t active : {0U, 1U, 0x8000'0001U, 0x5555'5555U, 0x00ff'7fffU}) {
          const File after = run(*entry, before, active);
          for (std::uint32_t at = 0; at < after.size(); ++at) {
            if (after[at] == before[at]) continue;
            const unsigned operand = at / kRoom;
            ASSERT_LT(operand, 2U) << entry->form << " writes a source";
            if (entry->lane_bytes[operand] == 1) {
              const auto changed = static_cast<unsigned>(after[at] ^ before[at]) << (8 * (at % 4));
              ASSERT_TRUE(at % kRoom < 4 && (changed & ~active) == 0) << entry->form;
            } else {
              ASSERT_TRUE(owns(*entry, operand, at % kRoom, active)) << entry->form << " at " << at;
            }
          }
        }
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
  for (std::size_t f = 0; f < low.size(); ++f) {
    ASSERT_EQ(low[f].count, high[f].count);
    for (std::size_t i = 0; i < low[f].count; ++i) {
      for (std::uint64_t seed = 10; seed < 20; ++seed) {
        const File before = noise(seed);
        ASSERT_TRUE(run(low[f].first[i], before, 0xffff'ffffU) ==
                    run(high[f].first[i], before, 0xffff'ffffU))
            << low[f].first[i].form;
      }
    }
  }
}

}  // namespace
}  // namespace kp::vgpu
