// SPDX-License-Identifier: Apache-2.0
// Loads and stores of every kind, asynchronous copies, barriers and talk within a warp.
#include <algorithm>
#include <array>
#include <numeric>

#include "kernels/compiled.h"

namespace kp::vgpu {
namespace {

KP_COMPILED(Memories, "memory");
KP_COMPILED(Asynchronous, "asynchronous");
KP_COMPILED(Warps, "warp");

template <class T>
std::vector<T> counted(std::size_t n, int factor, int modulus) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = T(int(i) * factor % modulus);
  return x;
}

TEST_P(Memories, CacheHintsDoNotChangeValues) {
  const auto x = counted<float>(32 * 4, 7, 31);
  const auto px = tensor("x", x), y = output<float>("y", 32 * 7);
  run("hints", grid_of(1, 32), px, y, 32);
  const auto got = values<float>(y, 160);
  for (std::size_t i = 0; i < 32; ++i) {
    const float* v = &x[i * 4];
    const float sum = v[0] + v[1] + v[2] + v[3] + v[0] + v[1] + 3 * x[i] + v[2];
    for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(got[k * 32 + i], sum) << i << " " << k;
  }
}

TEST_P(Memories, LocalArraysAreIndexed) {
  const auto x = counted<int>(32, 13, 50);
  const auto px = tensor("x", x), y = output<int>("y", 32);
  run("locals", grid_of(1, 32), px, y, 3);
  const auto got = values<int>(y, 32);
  for (int i = 0; i < 32; ++i) {
    int a[20];
    for (int k = 0; k < 20; ++k) a[k] = x[std::size_t(i)] + k * k;
    for (int k = 0; k < 20; ++k) a[(k * 7 + 3) % 20] ^= a[(k + 3) % 20];
    unsigned h = 0;
    for (int k = 0; k < 20; ++k) h = h * 31 + unsigned(a[(k + i) % 20]);
    EXPECT_EQ(got[std::size_t(i)], int(h) + (i % 16) * (i % 16));
  }
}

TEST_P(Memories, DynamicSharedMemoryHoldsSeveralArrays) {
  const auto x = counted<int>(64, 11, 200);
  const auto px = tensor("x", x), y = output<int>("y", 64);
  Grid grid = grid_of(1, 64);
  grid.dynamic_shared = 64 * 7;
  run("dynamic", grid, px, y, 64);
  const auto got = values<int>(y, 64);
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_EQ(got[i], x[63 - i] + x[(i + 1) % 64] * 2 + x[(i + 2) % 64] + 448);
}

TEST_P(Memories, EveryWidthMovesItsBytes) {
  const auto b = counted<signed char>(128, 5, 100);
  const auto s = counted<short>(128, 9, 1000);
  const auto l = counted<long long>(32, 3, 100), q = counted<long long>(64, 17, 90);
  const auto pb = tensor("b", b), ps = tensor("s", s), pl = tensor("l", l), pq = tensor("q", q),
             y = output<long long>("y", 128), z = output<unsigned char>("z", 128);
  run("widths", grid_of(1, 32), pb, ps, pl, pq, y, z);
  const auto got = values<long long>(y, 32);
  const auto doubles = values<double>(y + 64 * 8, 64);
  const auto bytes = values<unsigned char>(z, 128);
  for (std::size_t i = 0; i < 32; ++i) {
    const signed char* c = &b[i * 4];
    EXPECT_EQ(got[i], c[0] + c[1] * 2 + c[2] * 3 + c[3] + s[i * 4] + s[i * 4 + 3] * 5 + l[i] +
                          q[2 * i] * q[2 * i + 1] + b[2 * i] + b[2 * i + 1]);
    EXPECT_EQ(doubles[2 * i + 1], double(i) * 2);
    EXPECT_EQ(bytes[i * 4 + 1], (unsigned char)(s[i * 4 + 1]));
  }
}

TEST_P(Memories, GenericPointersFindTheirSpace) {
  std::vector<int> initial(64);
  std::iota(initial.begin(), initial.end(), 100);
  for (const int which : {0, 1, 2}) {
    const auto y = tensor("y", initial);
    run("generic", grid_of(1, 32), y, which);
    const auto got = values<int>(y, 32);
    for (int i = 0; i < 32; ++i) {
      const int global = 132 + i + 2000;
      const int other[] = {31 - i + 1000, i * 2 + 4000, global};
      EXPECT_EQ(got[std::size_t(i)], i % 3 == 0 ? global : other[which]) << which << " " << i;
    }
  }
}

TEST_P(Memories, WarpSynchronousCodeWithVolatileIsNoRace) {
  const auto a = tensor("a", counted<int>(64, 1, 64)), y = output<int>("y", 32);
  run("volatiles", grid_of(1, 64), a, y);
  const auto got = values<int>(y, 32);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(got[std::size_t(i)], (31 - i) * 2 + 32);
  EXPECT_EQ(values<int>(a, 64)[5], 6);
}

TEST_P(Memories, GridConstantsHaveAddresses) {
  const std::array<int, 4> p{4, 3, 2, 1};
  const auto y = output<int>("y", 8);
  run("bounded", grid_of(1, 8), p, y);
  EXPECT_EQ(values<int>(y, 8), (std::vector{4, 3, 2, 1, 4, 3, 2, 1}));
}

std::vector<int> reversed_tiles(const std::vector<int>& x, std::size_t tile) {
  auto y = x;
  for (std::size_t t = 0; t < y.size(); t += tile)
    std::reverse(y.begin() + long(t), y.begin() + long(t + tile));
  return y;
}

TEST_P(Asynchronous, ThePipelineOfOneThreadIsDoubleBuffered) {
  std::vector<float> x(512);
  std::iota(x.begin(), x.end(), 0.0f);
  const auto px = tensor("x", x), y = output<float>("y", 512);
  run("pipeline_primitives", grid_of(1, 128), px, y, 4);
  const auto got = values<float>(y, 512);
  for (std::size_t i = 0; i < 512; ++i) EXPECT_EQ(got[i], x[i / 128 * 128 + 127 - i % 128]);
}

TEST_P(Asynchronous, CopiesMayTakeLessThanTheyFill) {
  const auto x = counted<float>(256, 1, 256);
  const auto px = tensor("x", x), y = output<float>("y", 256);
  run("inline_copies", grid_of(1, 64), px, y, 50);
  const auto got = values<float>(y, 256);
  for (std::size_t i = 0; i < 256; ++i)
    EXPECT_EQ(got[i], 63 - i / 4 < 50 ? x[(63 - i / 4) * 4 + i % 4] : 0.0f);
}

TEST_P(Asynchronous, BarriersOfTheLibrarySeparatePhases) {
  const auto x = counted<int>(128, 7, 100);
  const auto px = tensor("x", x), y = output<int>("y", 384);
  run("barriers", grid_of(1, 128), px, y);
  const auto got = values<int>(y, 384);
  for (std::size_t i = 0; i < 384; ++i) EXPECT_EQ(got[i], x[(i % 128 + 33) % 128] + int(i / 128));
}

TEST_P(Asynchronous, BarriersWaitForCopies) {
  const auto x = counted<int>(128, 7, 100);
  const auto px = tensor("x", x), y = output<int>("y", 128);
  run("async_barrier", grid_of(1, 128), px, y);
  EXPECT_EQ(values<int>(y, 128), std::vector<int>(x.rbegin(), x.rend()));
}

TEST_P(Asynchronous, PipelinesOfABlockHandTilesOn) {
  const auto x = counted<int>(320, 7, 300);
  const auto px = tensor("x", x), y = output<int>("y", 320);
  run("pipelines", grid_of(1, 64), px, y, 5);
  EXPECT_EQ(values<int>(y, 320), reversed_tiles(x, 64));
}

TEST_P(Asynchronous, ProducersAndConsumersMeetAtNamedBarriers) {
  const auto x = counted<int>(192, 7, 300);
  const auto px = tensor("x", x), y = output<int>("y", 192);
  run("warp_specialised", grid_of(2, 64), px, y, 6);
  EXPECT_EQ(values<int>(y, 192), reversed_tiles(x, 32));
}

constexpr std::size_t kShuffles = 28;

/// What the lane i of the kernel shuffles writes, row by row; the last row is not looked at.
std::array<int, kShuffles> shuffled(const std::vector<int>& x, unsigned i) {
  const auto fold = [&](auto f, int start, std::size_t n = 32) {
    return std::accumulate(x.begin(), x.begin() + long(n), start, f);
  };
  const auto bits = [&](auto test) {
    int mask = 0;
    for (unsigned k = 0; k < 32; ++k) mask |= int(unsigned(test(x[k])) << k);
    return mask;
  };
  const int v = x[i];
  const auto same = bits([&](int w) { return w % 4 == v % 4; });
  return {x[5],
          x[i / 8 * 8 + (i + 1) % 8],
          x[i < 3 ? i : i - 3],
          x[i % 16 > 13 ? i : i + 2],
          x[i ^ 9],
          bits([](int w) { return (w & 1) != 0; }),
          std::count(x.begin(), x.end(), 3) > 0,
          1,
          same,
          -1,
          1,
          fold(std::plus<int>(), 0),
          *std::min_element(x.begin(), x.end()),
          *std::max_element(x.begin(), x.end()),
          fold([](int a, int b) { return a & (b | 1); }, -1),
          fold([](int a, int b) { return a | b; }, 0),
          fold([](int a, int b) { return a ^ b; }, 0),
          -1,
          bits([&](int w) { return w == v; }),
          1,
          1,
          1,
          i < 20 ? fold(std::plus<int>(), 0, 20) : -1,
          int(i == 0),
          int((1u << i) - 1),
          0,
          1,
          0};
}

TEST_P(Warps, LanesTalk) {
  const auto x = counted<int>(32, 7, 29);
  const auto d = counted<double>(32, 3, 17);
  const auto px = tensor("x", x), pd = tensor("d", d), y = output<int>("y", 32 * kShuffles),
             z = output<double>("z", 32);
  run("shuffles", grid_of(1, 32), px, y, pd, z);
  const auto got = values<int>(y, 32 * kShuffles);
  const auto wide = values<double>(z, 32);
  for (unsigned i = 0; i < 32; ++i) {
    const auto expected = shuffled(x, i);
    for (std::size_t k = 0; k < kShuffles - 1; ++k)
      EXPECT_EQ(got[k * 32 + i], expected[k]) << "row " << k << " lane " << i;
    EXPECT_EQ(wide[i], d[i ^ 1]);
  }
}

TEST_P(Warps, BarriersVote) {
  const auto x = counted<int>(96, 5, 31);
  const auto px = tensor("x", x), y = output<int>("y", 288);
  run("votes", grid_of(1, 96), px, y);
  const auto got = values<int>(y, 288);
  const auto many = std::count_if(x.begin(), x.end(), [](int v) { return v > 10; });
  EXPECT_EQ(got[0], many);
  EXPECT_NE(got[1], 0);
  EXPECT_EQ(got[2] != 0, std::count(x.begin(), x.end(), 7) > 0);
}

}  // namespace
}  // namespace kp::vgpu
