// SPDX-License-Identifier: Apache-2.0
// Arithmetic on integers as CUDA's headers spell it, against the host's.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "kernels/rows.h"

namespace kp::vgpu {
namespace {

KP_COMPILED(Bits, "bits");

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

/// The first rows of the kernel bits: bits and shifts.
Words bit_operations() {
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
  };
}

/// Then products, differences and means.
Words product_operations() {
  return {
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
  Words ops = bit_operations();
  for (const auto& more : {product_operations(), part_operations(), other_operations()})
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

using Longs = std::vector<std::function<u64(u64, u64, u64)>>;

s64 divisor(u64 b) { return s64(b | 1); }

/// The first rows of the kernel longs: 64 bits.
Longs long_operations() {
  return {
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
      [](u64 a, u64 b, u64) { return u64(__int128{s64(a)} / divisor(b)); },
      [](u64 a, u64 b, u64) { return u64(__int128{s64(a)} % divisor(b)); },
      [](u64 a, u64 b, u64) { return a >> (b & 63); },
      [](u64 a, u64 b, u64) { return u64(s64(a) >> (b & 63)); },
      [](u64 a, u64, u64 c) { return a << (c & 63); },
      [](u64 a, u64 b, u64) { return u64(std::min(s64(a), s64(b))); },
      [](u64 a, u64 b, u64) { return std::max(a, b); },
      [](u64 a, u64, u64) { return s64(a) < 0 ? 0 - a : a; },
  };
}

/// Then products, quotients and shifts of 128 bits, and what mixes widths.
Longs wide_operations() {
  return {
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
}

TEST_P(Bits, IntegerIntrinsicsOf64And128Bits) {
  const auto x = noise<u64>(3 * kN);
  const auto px = tensor("x", x), y = output<u64>("y", 36 * kN);
  run("longs", grid_of(1, kN), px, y, int(kN));
  Longs ops = long_operations();
  const Longs more = wide_operations();
  ops.insert(ops.end(), more.begin(), more.end());
  expect_rows(x, values<u64>(y, 36 * kN), ops);
}

}  // namespace
}  // namespace kp::vgpu
