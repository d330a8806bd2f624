// SPDX-License-Identifier: Apache-2.0
// Arithmetic as CUDA's headers and its mathematical library spell it, against the host's.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "kernels/compiled.h"

namespace kp::vgpu {
namespace {

KP_COMPILED(Bits, "bits");
KP_COMPILED(Halves, "half");
KP_COMPILED(Mathematics, "math");

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using u128 = unsigned __int128;

template <class T>
std::vector<T> noise(std::size_t n) {
  std::vector<T> x(n);
  u64 state = 42;
  for (T& each : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    each = T(state >> (state >> 60));
  }
  const T edges[] = {0, T(-1), 1, T(1) << (8 * sizeof(T) - 1)};
  std::copy(std::begin(edges), std::end(edges), x.begin());
  return x;
}

constexpr std::size_t kN = 32;

/// Row k of the output is ops[k] of three rows of the input.
template <class T>
void expect_rows(const std::vector<T>& x, const std::vector<T>& got,
                 const std::vector<std::function<T(T, T, T)>>& ops) {
  for (std::size_t k = 0; k < ops.size(); ++k)
    for (std::size_t i = 0; i < kN; ++i)
      ASSERT_EQ(got[k * kN + i], ops[k](x[i], x[kN + i], x[2 * kN + i]))
          << "row " << k << " of lane " << i << std::hex << ": " << x[i] << " " << x[kN + i];
}

template <int kBits>
u32 each_part(u32 a, u32 b, const std::function<s64(s64, s64)>& f, bool is_signed = false) {
  u32 result = 0;
  for (int at = 0; at < 32; at += kBits) {
    const auto part = [&](u32 x) {
      const s64 low = (x >> at) & ((1u << kBits) - 1);
      return is_signed && (low >> (kBits - 1)) != 0 ? low - (1 << kBits) : low;
    };
    result |= u32(f(part(a), part(b)) & ((1 << kBits) - 1)) << at;
  }
  return result;
}

u32 permuted(u32 a, u32 b, u32 c) {
  const u64 both = u64{b} << 32 | a;
  u32 result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const u32 pick = c >> (4 * i) & 15;
    u32 byte = u32(both >> (8 * (pick & 7))) & 0xff;
    result |= byte << (8 * i);
  }
  return result;
}

s32 dot4(u32 a, u32 b, s32 c) {
  for (int i = 0; i < 4; ++i)
    c = s32(u32(c) + u32(std::int8_t(a >> 8 * i) * std::int8_t(b >> 8 * i)));
  return c;
}

using Words = std::vector<std::function<u32(u32, u32, u32)>>;

/// The first rows of the kernel bits: bits, shifts, products.
Words word_operations() {
  const auto f_l = [](u32 a, u32 b, u32 s) { return u32((u64{b} << 32 | a) << s >> 32); };
  const auto f_r = [](u32 a, u32 b, u32 s) { return u32((u64{b} << 32 | a) >> s); };
  return {
      [](u32 a, u32, u32) {
        u32 r = 0;
        for (int i = 0; i < 32; ++i) r |= (a >> i & 1) << (31 - i);
        return r;
      },
      [](u32 a, u32, u32) { return u32(std::countl_zero(a)); },
      [](u32 a, u32, u32) { return a == 0 ? 0 : u32(std::countr_zero(a)) + 1; },
      [](u32 a, u32, u32) { return u32(std::popcount(a)); },
      [=](u32 a, u32 b, u32 c) { return f_l(a, b, c & 31); },
      [=](u32 a, u32 b, u32 c) { return f_r(a, b, c & 31); },
      [=](u32 a, u32 b, u32 c) { return f_l(a, b, std::min(c, 32u)); },
      [=](u32 a, u32 b, u32 c) { return f_r(a, b, std::min(c, 32u)); },
      permuted,
      [](u32 a, u32 b, u32 c) { return u32(dot4(a, b, s32(c))); },
      [](u32 a, u32 b, u32 c) {
        for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
        return c;
      },
      [](u32 a, u32 b, u32 c) {
        for (int i = 0; i < 2; ++i) c += u32(std::int16_t(a >> 16 * i) * std::int8_t(b >> 8 * i));
        return c;
      },
      [](u32 a, u32 b, u32 c) {
        return c + (a & 0xffff) * (b >> 16 & 255) + (a >> 16) * (b >> 24);
      },
      [](u32 a, u32 b, u32) { return u32(s64{s32(a)} * s32(b) >> 32); },
      [](u32 a, u32 b, u32) { return u32(u64{a} * b >> 32); },
      [](u32 a, u32 b, u32) { return u32(s32(a << 8) >> 8) * u32(s32(b << 8) >> 8); },
      [](u32 a, u32 b, u32) { return (a & 0xffffff) * (b & 0xffffff); },
      [](u32 a, u32 b, u32 c) { return c + u32(std::abs(s64{s32(a)} - s32(b))); },
      [](u32 a, u32 b, u32 c) { return c + (a > b ? a - b : b - a); },
      [](u32 a, u32 b, u32) { return u32((s64{s32(a)} + s32(b)) >> 1); },
      [](u32 a, u32 b, u32) { return u32((s64{s32(a)} + s32(b) + 1) >> 1); },
      [](u32 a, u32 b, u32) { return u32((u64{a} + b) >> 1); },
      [](u32 a, u32 b, u32) { return u32((u64{a} + b + 1) >> 1); },
  };
}

/// Then operations on bytes and halves.
Words part_operations() {
  return {
      [](u32 a, u32 b, u32) { return each_part<8>(a, b, std::plus<s64>()); },
      [](u32 a, u32 b, u32) { return each_part<16>(a, b, std::minus<s64>()); },
      [](u32 a, u32 b, u32) {
        return each_part<8>(
            a, b, [](s64 p, s64 q) { return std::max(p, q); }, true);
      },
      [](u32 a, u32 b, u32) {
        return each_part<8>(a, b, [](s64 p, s64 q) { return std::abs(p - q); });
      },
      [](u32 a, u32 b, u32) {
        return each_part<8>(a, b, [](s64 p, s64 q) { return p > q ? -1 : 0; });
      },
      [](u32 a, u32 b, u32) {
        return each_part<8>(a, b, [](s64 p, s64 q) { return (p + q + 1) / 2; });
      },
      [](u32 a, u32 b, u32) {
        return each_part<16>(
            a, b, [](s64 p, s64 q) { return std::clamp<s64>(p + q, -32768, 32767); }, true);
      },
      [](u32 a, u32 b, u32) {
        u32 sum = 0;
        for (int i = 0; i < 32; i += 8) sum += u32(std::abs(s32(a >> i & 255) - s32(b >> i & 255)));
        return sum;
      },
      [](u32 a, u32 b, u32) {
        return each_part<16>(a, b, [](s64 p, s64 q) { return p == q ? 1 : 0; });
      },
  };
}

/// Then comparisons, divisions and narrow types.
Words other_operations() {
  return {
      [](u32 a, u32 b, u32 c) { return u32(std::max(s32(a + b), s32(c))); },
      [](u32 a, u32 b, u32 c) {
        return u32(std::max({s32(a), s32(b), s32(c)}));
      },
      [](u32 a, u32 b, u32) { return a / (b | 1); },
      [](u32 a, u32 b, u32) { return a % (b | 1); },
      [](u32 a, u32 b, u32) { return u32(s64{s32(a)} / s32(b | 1)); },
      [](u32 a, u32 b, u32) { return u32(s64{s32(a)} % s32(b | 1)); },
      [](u32 a, u32 b, u32) { return u32(std::int16_t(a) * std::int16_t(b)); },
      [](u32 a, u32, u32) { return (a & 255) >> 3; },
      [](u32 a, u32, u32) { return u32(std::int8_t(a) >> 1); },
  };
}

TEST_P(Bits, IntegerIntrinsicsOf32Bits) {
  auto x = noise<u32>(3 * kN);
  for (std::size_t i = 0; i < kN; ++i) x[2 * kN + i] &= 0x7777;  // selectors without sign
  const auto px = tensor("x", x), y = output<u32>("y", 64 * kN);
  run("bits", grid_of(1, kN), px, y, int(kN));
  Words ops = word_operations();
  for (const auto& more : {part_operations(), other_operations()})
    ops.insert(ops.end(), more.begin(), more.end());
  expect_rows(x, values<u32>(y, 64 * kN), ops);
}

TEST_P(Bits, VideoInstructionsTakeTheirParts) {
  const auto x = noise<u32>(3 * kN);
  const auto px = tensor("x", x), y = output<u32>("y", 4 * kN);
  run("video", grid_of(1, kN), px, y, int(kN));
  const std::vector<std::function<u32(u32, u32, u32)>> ops{
      [](u32 a, u32 b, u32) {
        return each_part<8>(
            a, b, [](s64 p, s64 q) { return std::clamp<s64>(p + q, -128, 127); }, true);
      },
      [](u32 a, u32 b, u32 c) { return c + (a & 0xffff) - (b & 0xffff) + (a >> 16) - (b >> 16); },
      [](u32 a, u32 b, u32) {
        return each_part<8>(a, b, [](s64 p, s64 q) { return (p + q + 1) / 2; });
      },
      [](u32 a, u32 b, u32) {
        return each_part<8>(a, b, [](s64 p, s64 q) { return p > q ? 1 : 0; });
      },
  };
  expect_rows(x, values<u32>(y, 4 * kN), ops);
}

TEST_P(Bits, IntegerIntrinsicsOf64And128Bits) {
  const auto x = noise<u64>(3 * kN);
  const auto px = tensor("x", x), y = output<u64>("y", 36 * kN);
  run("longs", grid_of(1, kN), px, y, int(kN));
  const auto divisor = [](u64 b) { return s64(b | 1); };
  const std::vector<std::function<u64(u64, u64, u64)>> ops{
      [](u64 a, u64, u64) {
        u64 r = 0;
        for (int i = 0; i < 64; ++i) r |= (a >> i & 1) << (63 - i);
        return r;
      },
      [](u64 a, u64, u64) { return u64(std::countl_zero(a)); },
      [](u64 a, u64, u64) { return a == 0 ? 0 : u64(std::countr_zero(a)) + 1; },
      [](u64 a, u64, u64) { return u64(std::popcount(a)); },
      [](u64 a, u64 b, u64) { return u64(u128{a} * b >> 64); },
      [](u64 a, u64 b, u64) { return u64(__int128{s64(a)} * s64(b) >> 64); },
      [](u64 a, u64 b, u64 c) { return a * b + c; },
      [](u64 a, u64 b, u64) { return a / (b | 1); },
      [](u64 a, u64 b, u64) { return a % (b | 1); },
      [&](u64 a, u64 b, u64) { return u64(__int128{s64(a)} / divisor(b)); },
      [&](u64 a, u64 b, u64) { return u64(__int128{s64(a)} % divisor(b)); },
      [](u64 a, u64 b, u64) { return a >> (b & 63); },
      [](u64 a, u64 b, u64) { return u64(s64(a) >> (b & 63)); },
      [](u64 a, u64, u64 c) { return a << (c & 63); },
      [](u64 a, u64 b, u64) { return u64(std::min(s64(a), s64(b))); },
      [](u64 a, u64 b, u64) { return std::max(a, b); },
      [](u64 a, u64, u64) { return s64(a) < 0 ? 0 - a : a; },
      [](u64 a, u64 b, u64) { return u64(u128{a} * b >> 64); },
      [](u64 a, u64 b, u64) { return a * b; },
      [](u64 a, u64 b, u64 c) { return u64((u128{a} * b * c + a) >> 64); },
      [](u64 a, u64 b, u64 c) { return a * b * c + a; },
      [](u64 a, u64 b, u64 c) { return u64((u128{a} << 64 | b) / (c | 1)); },
      [](u64 a, u64 b, u64 c) { return u64((u128{a} << 64 | b) % (c | 1)); },
      [](u64 a, u64 b, u64) { return u64((u128{a} << 64 | b) >> (b & 127)); },
      [](u64 a, u64 b, u64 c) { return u64((__int128{s64(a)} * s64(b) - __int128(c)) >> 64); },
      [](u64 a, u64 b, u64 c) { return a * b - c; },
      [](u64 a, u64 b, u64 c) { return u64{u32(a)} * u32(b) + u32(c); },
      [](u64 a, u64 b, u64) { return a - b; },
      [](u64 a, u64 b, u64 c) {
        const u32 length = u32(c) & 31;
        return u64((u32(a) >> (b & 31)) & ((1u << length) - 1));
      },
      [](u64 a, u64 b, u64) { return u64((u32(b) & ~(511u << 5)) | (u32(a) & 511) << 5); },
      [](u64 a, u64 b, u64 c) { return u64(u32(a ^ b ^ c)); },
  };
  expect_rows(x, values<u64>(y, 36 * kN), ops);
}

using Half = _Float16;
float value(Half x) { return float(x); }
float brain(std::uint16_t bits) { return std::bit_cast<float>(u32{bits} << 16); }
std::uint16_t to_brain(float x) {
  const auto bits = std::bit_cast<u32>(x);
  return std::uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// Moderate numbers of both signs, some of them equal in pairs.
float moderate(std::size_t i, int salt) {
  const int step = (int(i) * 37 + salt * 11) % 61 - 30;
  return float(step) * 0.21875f + (step == 0 ? 1.0f : 0.0f);
}

/// What each row of half_math and brain_math begins with: the exact operations.
const std::vector<std::function<double(double, double)>>& exact_operations() {
  static const std::vector<std::function<double(double, double)>> ops{
      [](double p, double q) { return p + q; }, [](double p, double q) { return p - q; },
      [](double p, double q) { return p * q; }, [](double p, double q) { return p / q; },
      [](double p, double q) { return p * q + p; }};
  return ops;
}

TEST_P(Halves, ArithmeticIsRoundedOnce) {
  std::vector<Half> a(kN), b(kN);
  for (std::size_t i = 0; i < kN; ++i) a[i] = Half(moderate(i, 1)), b[i] = Half(moderate(i, 2));
  const auto pa = tensor("a", a), pb = tensor("b", b), y = output<Half>("y", 64 * kN);
  run("half_math", grid_of(1, kN), pa, pb, y, int(kN));
  const auto got = values<Half>(y, 64 * kN);
  const auto row = [&](std::size_t k, std::size_t i) { return value(got[k * kN + i]); };
  for (std::size_t i = 0; i < kN; ++i) {
    const double p = value(a[i]), q = value(b[i]);
    for (std::size_t k = 0; k < 5; ++k)
      EXPECT_NEAR(row(k, i), value(Half(exact_operations()[k](p, q))),
                  k == 3 ? std::abs(p / q) * 1e-3 : 0.0)
          << k << " " << i;
    EXPECT_EQ(row(5, i), value(Half(std::clamp(p + q, 0.0, 1.0))));
    EXPECT_EQ(row(8, i), value(Half(std::max(p * q + p, 0.0))));
    EXPECT_EQ(row(9, i), -p);
    EXPECT_EQ(row(11, i), std::max(p, q));
    EXPECT_NEAR(row(15, i), std::sqrt(std::abs(p)), std::sqrt(std::abs(p)) * 1e-3);
    EXPECT_NEAR(row(18, i), std::exp(p), std::exp(p) * 2e-3);
    EXPECT_NEAR(row(22, i), std::sin(p), 2e-3);
    EXPECT_EQ(row(28, i), std::floor(p));
    EXPECT_EQ(row(29, i), std::nearbyint(p));
    EXPECT_NEAR(row(31, i), std::tanh(p), 2e-3);
    EXPECT_LE(std::abs(row(32, i)), std::abs(float(p) * 1.001f));
    EXPECT_LE(row(33, i), float(p) * 1.001f);
    EXPECT_GE(row(34, i), float(p) * 1.001f);
    EXPECT_EQ(row(35, i), value(Half(int(i) * 77)));
    EXPECT_EQ(row(44, i), p == q ? p : q);
    EXPECT_EQ(row(45, i), p < q ? p : q);
  }
}

TEST_P(Halves, PairsAreTwoOfThem) {
  std::vector<Half> a(2 * kN), b(2 * kN);
  for (std::size_t i = 0; i < 2 * kN; ++i)
    a[i] = Half(moderate(i, 1)), b[i] = i % 5 == 0 ? a[i] : Half(moderate(i, 2));
  const auto pa = tensor("a", a), pb = tensor("b", b), y = output<Half>("y", 80 * kN);
  run("half2_math", grid_of(1, kN), pa, pb, y, int(kN));
  const auto got = values<Half>(y, 80 * kN);
  for (std::size_t i = 0; i < 2 * kN; ++i) {
    const auto row = [&](std::size_t k) { return value(got[k * 2 * kN + i]); };
    const double p = value(a[i]), q = value(b[i]);
    const std::size_t other = i ^ 1;
    for (const std::size_t k : {0u, 1u, 2u, 4u})
      EXPECT_EQ(row(k), value(Half(exact_operations()[k](p, q)))) << k << " " << i;
    EXPECT_EQ(row(10), std::max(p, q));
    EXPECT_NEAR(row(15), std::sin(p), 2e-3);
    EXPECT_EQ(row(20), p == q);
    EXPECT_EQ(row(21), p < q);
    EXPECT_EQ(row(22), p >= q);
    EXPECT_EQ(row(23), i % 2 == 0 ? p : value(b[other]));
    EXPECT_EQ(row(25), value(a[other]));
    EXPECT_EQ(std::bit_cast<std::uint16_t>(got[27 * 2 * kN + i]), p > q ? 0xffff : 0);
    EXPECT_EQ(std::bit_cast<std::uint16_t>(got[28 * 2 * kN + i]), p != q ? 0xffff : 0);
    const bool both = value(a[i & ~1u]) > value(b[i & ~1u]) && value(a[i | 1]) > value(b[i | 1]);
    EXPECT_EQ(row(29), both ? p : q);
    EXPECT_EQ(row(32), value(a[i ^ 2]));
  }
}

TEST_P(Halves, BfloatsAreShortFloats) {
  std::vector<std::uint16_t> a(2 * kN), b(2 * kN);
  for (std::size_t i = 0; i < 2 * kN; ++i)
    a[i] = to_brain(moderate(i, 3)), b[i] = to_brain(moderate(i, 5));
  const auto pa = tensor("a", a), pb = tensor("b", b), y = output<std::uint16_t>("y", 40 * kN),
             z = output<std::uint16_t>("z", 40 * kN);
  run("brain_math", grid_of(1, kN), pa, pb, y, int(kN));
  run("brain2_math", grid_of(1, kN), pa, pb, z, int(kN));
  const auto got = values<std::uint16_t>(y, 40 * kN), pairs = values<std::uint16_t>(z, 40 * kN);
  for (std::size_t i = 0; i < 2 * kN; ++i) {
    const double p = brain(a[i]), q = brain(b[i]);
    for (const std::size_t k : {0u, 1u, 2u, 4u}) {
      const auto expected = to_brain(float(exact_operations()[k](p, q)));
      EXPECT_TRUE(i >= kN || got[k * kN + i] == expected) << k << " " << i;
      EXPECT_EQ(pairs[k * 2 * kN + i], expected) << k << " " << i;
    }
    EXPECT_EQ(brain(pairs[11 * 2 * kN + i]), p > q);
    EXPECT_EQ(brain(pairs[12 * 2 * kN + i]), p != q);
  }
}

TEST_P(Halves, AtomicsOfHalvesAdd) {
  const auto h = tensor("h", std::vector<Half>(2)), h1 = tensor("h1", std::vector<Half>(4)),
             b = tensor("b", std::vector<std::uint16_t>(2)),
             b1 = tensor("b1", std::vector<std::uint16_t>(2));
  run("half_atomics", grid_of(2, 33), h, b, h1, b1);
  EXPECT_EQ(value(values<Half>(h, 2)[1]), 33.0f);
  EXPECT_EQ(brain(values<std::uint16_t>(b, 2)[1]), 132.0f);
  EXPECT_EQ(value(values<Half>(h1, 3)[2]), 22.0f);
  EXPECT_EQ(brain(values<std::uint16_t>(b1, 2)[0]), 34.0f);
}

TEST_P(Halves, BytesHoldFloats) {
  std::vector<float> x(kN);
  for (std::size_t i = 0; i < kN; ++i) x[i] = moderate(i, 1);
  const auto px = tensor("x", x), y = output<unsigned char>("y", 128), z = output<float>("z", 64);
  run("fp8", grid_of(1, kN), px, y, z);
  const auto got = values<float>(z, 64);
  for (std::size_t i = 0; i < kN; ++i) {
    EXPECT_NEAR(got[2 * i], x[i], std::abs(x[i]) / 16);
    EXPECT_NEAR(got[2 * i + 1], x[i], std::abs(x[i]) / 8);
  }
}

using FloatRow = std::pair<std::size_t, std::function<double(double)>>;

template <class T>
void expect_near_rows(const std::vector<T>& x, const std::vector<T>& got,
                      const std::vector<FloatRow>& rows, double tolerance) {
  for (const auto& [k, f] : rows)
    for (std::size_t i = 0; i < kN; ++i) {
      const double expected = f(double(x[i]));
      ASSERT_NEAR(double(got[k * kN + i]), expected, std::abs(expected) * tolerance + tolerance)
          << "row " << k << " of " << x[i];
    }
}

/// Small, large and very large arguments: the latter take the slow path of Payne and Hanek.
template <class T>
std::vector<T> arguments() {
  std::vector<T> x(3 * kN);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = T(moderate(i, 1)) * T(i % 4 == 0 ? 1.0 : i % 4 == 1 ? 1e3 : i % 4 == 2 ? 1e7 : 1e-2);
  return x;
}

TEST_P(Mathematics, FloatFunctionsAreThoseOfTheHost) {
  const auto x = arguments<float>();
  const auto px = tensor("x", x), y = output<float>("y", 40 * kN);
  run("functions", grid_of(1, kN), px, y, int(kN));
  const std::vector<FloatRow> rows{
      {0, [](double a) { return std::sin(a); }},
      {1, [](double a) { return std::cos(a); }},
      {5, [](double a) { return std::log(std::abs(a)); }},
      {10, [](double a) { return std::pow(std::abs(a), double(0.3f)); }},
      {11, [](double a) { return std::erf(a); }},
      {13, [](double a) { return std::tanh(a); }},
      {16, [](double a) { return std::atan(a); }},
      {20, [](double a) { return std::cbrt(a); }},
      {21, [](double a) { return 1 / std::sqrt(std::abs(a)); }},
      {28, [](double a) { return std::sin(a) + std::cos(a); }},
  };
  expect_near_rows(x, values<float>(y, 40 * kN), rows, 2e-6);
}

TEST_P(Mathematics, DoubleFunctionsAreThoseOfTheHost) {
  const auto x = arguments<double>();
  const auto px = tensor("x", x), y = output<double>("y", 60 * kN);
  run("doubles", grid_of(1, kN), px, y, int(kN));
  const std::vector<FloatRow> rows{
      {0, [](double a) { return std::sin(a); }},
      {1, [](double a) { return std::cos(a); }},
      {4, [](double a) { return std::log(std::abs(a)); }},
      {5, [](double a) { return std::pow(std::abs(a), 0.3); }},
      {6, [](double a) { return std::erf(a); }},
      {8, [](double a) { return std::tanh(a); }},
      {11, [](double a) { return std::cbrt(a); }},
      {12, [](double a) { return 1 / std::sqrt(std::abs(a)); }},
      {18, [](double a) { return std::sqrt(std::abs(a)); }},
      {20, [](double a) { return std::lgamma(std::abs(a) * 1e-3 + 1); }},
      {25, [](double a) { return std::floor(a); }},
      {26, [](double a) { return std::nearbyint(a); }},
      {27, [](double a) { return std::round(a); }},
      {34, [](double a) { return std::trunc(a); }},
      {39, [](double a) { return std::sin(a) * std::cos(a); }},
  };
  const auto got = values<double>(y, 60 * kN);
  for (std::size_t i = 0; i < kN; ++i) {
    EXPECT_EQ(got[17 * kN + i], x[i] / x[kN + i]);
    EXPECT_EQ(got[19 * kN + i], std::fma(x[i], x[kN + i], x[i]));
    EXPECT_EQ(got[14 * kN + i], std::fmod(x[i], x[kN + i]));
  }
  expect_near_rows(x, got, rows, 1e-12);
}

TEST_P(Mathematics, RoundingsOfFloats) {
  const auto x = arguments<float>();
  const auto px = tensor("x", x), y = output<float>("y", 48 * kN);
  run("roundings", grid_of(1, kN), px, y, int(kN));
  const auto got = values<float>(y, 48 * kN);
  for (std::size_t i = 0; i < kN; ++i) {
    const auto row = [&](std::size_t k) { return got[k * kN + i]; };
    const float a = x[i], b = x[kN + i], c = x[2 * kN + i];
    const double sum = double(a) + double(b);
    EXPECT_EQ(row(0), a + b);
    EXPECT_LE(std::abs(double(row(1))), std::abs(sum));
    EXPECT_GE(double(row(2)), sum);
    EXPECT_LE(double(row(3)), sum);
    EXPECT_GE(double(row(5)), double(a) * double(b));
    EXPECT_EQ(row(9), a / b);
    EXPECT_EQ(row(12), std::sqrt(std::abs(a)));
    EXPECT_EQ(row(14), 1.0f / a);
    EXPECT_EQ(row(16), std::clamp(a, 0.0f, 1.0f));
    EXPECT_EQ(row(17), std::fma(a, b, c));
    EXPECT_EQ(row(18), std::fmod(a, b));
    EXPECT_EQ(row(20), a / b);
    EXPECT_EQ(row(22), std::min(a, b));
    EXPECT_EQ(row(25), std::copysign(a, b));
    EXPECT_EQ(row(26), std::trunc(a));
    EXPECT_EQ(row(29), std::nearbyint(a));
    EXPECT_EQ(row(30), std::round(a));
    EXPECT_EQ(row(35), float(static_cast<long long>(a * 1e6f)));
    EXPECT_EQ(row(37), std::nextafter(a, b));
    EXPECT_EQ(row(38), std::scalbn(a, -4));
    EXPECT_EQ(row(40), std::logb(a));
  }
}

}  // namespace
}  // namespace kp::vgpu
