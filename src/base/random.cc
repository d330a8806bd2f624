// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <cmath>
#include <numbers>

#include "base/check.h"

namespace kp {
namespace {

constexpr int kRounds = 10;
constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;  // golden ratio
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;  // sqrt(3) - 1

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

}  // namespace

Philox4 philox(std::uint64_t key, std::uint64_t counter_low, std::uint64_t counter_high) {
  Philox4 x{low(counter_low), high(counter_low), low(counter_high), high(counter_high)};
  std::uint32_t k0 = low(key);
  std::uint32_t k1 = high(key);
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t p0 = kMultiplier0 * x[0];
    const std::uint64_t p1 = kMultiplier1 * x[2];
    x = {high(p1) ^ x[1] ^ k0, low(p1), high(p0) ^ x[3] ^ k1, low(p0)};
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  return x;
}

std::uint32_t Random::bits32() {
  if (used_ == block_.size()) {
    block_ = philox(key_, counter_++, stream_);
    used_ = 0;
  }
  return block_[used_++];
}

std::uint64_t Random::bits64() {
  const std::uint64_t first = bits32();
  return first | std::uint64_t{bits32()} << 32;
}

double Random::uniform() { return static_cast<double>(bits64() >> 11) * 0x1p-53; }

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

// Lemire, "Fast Random Integer Generation in an Interval" (ACM TOMACS 2019).
std::uint64_t Random::below(std::uint64_t bound) {
  KP_CHECK(bound > 0, "the bound of a random integer is at least 1");
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const unsigned __int128 product = static_cast<unsigned __int128>(bits64()) * bound;
    if (static_cast<std::uint64_t>(product) >= threshold) {
      return static_cast<std::uint64_t>(product >> 64);
    }
  }
}

}  // namespace kp
