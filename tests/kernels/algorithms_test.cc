// SPDX-License-Identifier: Apache-2.0
// Cooperative groups and the block algorithms of CUB.
#include <algorithm>
#include <numeric>

#include "kernels/compiled.h"

namespace kp::vgpu {
namespace {

KP_COMPILED(Groups, "groups");
KP_COMPILED(BlockAlgorithms, "block_algorithms");

std::vector<int> scrambled(std::size_t n, int below) {
  std::vector<int> x(n);
  unsigned state = 12345;
  for (int& each : x) {
    state = state * 1664525u + 1013904223u;
    each = int(state >> 8) % below;
  }
  return x;
}

int sum(const std::vector<int>& x, std::size_t from, std::size_t count) {
  return std::accumulate(x.begin() + long(from), x.begin() + long(from + count), 0);
}

TEST_P(Groups, TilesReduceScanAndVote) {
  const auto x = scrambled(128, 97);
  const auto px = tensor("x", x), y = output<int>("y", 128 * 8);
  run("tiles", grid_of(2, 64), px, y);
  const auto got = values<int>(y, 128 * 8);
  for (std::size_t i = 0; i < 128; ++i) {
    const std::size_t w = i / 32 * 32, t = i / 16 * 16;
    const int* o = &got[i * 8];
    unsigned odd = 0;
    for (std::size_t k = 0; k < 16; ++k) odd |= unsigned(x[t + k] & 1) << k;
    const auto high = *std::max_element(x.begin() + long(t), x.begin() + long(t + 16));
    EXPECT_EQ(o[0], sum(x, w, 32));
    EXPECT_EQ(o[1], high);
    EXPECT_EQ(o[2], sum(x, w, i - w + 1));
    EXPECT_EQ(o[3], sum(x, t, i - t));
    EXPECT_EQ(o[4], x[t + ((i - t) ^ 3)]);
    EXPECT_EQ(unsigned(o[5]), odd);
    EXPECT_EQ(o[6], int(i % 64 / 32 * 1000 + i % 16));
    EXPECT_EQ(o[7], (high > 90 ? 1 : 0) + 2);
  }
}

TEST_P(Groups, CoalescedThreadsShareOneAtomic) {
  const auto x = scrambled(64, 50);
  const auto px = tensor("x", x), y = output<int>("y", 64), count = tensor("n", std::vector{0});
  run("coalesced", grid_of(1, 64), px, y, count);
  const auto got = values<int>(y, 64);
  for (std::size_t w = 0; w < 64; w += 32) {
    int members = 0, total = 0, rank = 0;
    for (std::size_t k = w; k < w + 32; ++k)
      if (x[k] % 3 == 0) ++members, total += x[k];
    for (std::size_t k = w; k < w + 32; ++k)
      EXPECT_EQ(got[k], x[k] % 3 != 0 ? -1 : rank++ + 100 * members + 10000 * total);
  }
  const auto multiples = std::count_if(x.begin(), x.end(), [](int v) { return v % 3 == 0; });
  EXPECT_EQ(values<int>(count, 1)[0], multiples);
}

TEST_P(Groups, LabelsPartitionAWarp) {
  const auto x = scrambled(32, 100);
  const auto px = tensor("x", x), y = output<int>("y", 64);
  run("labels", grid_of(1, 32), px, y);
  const auto got = values<int>(y, 64);
  for (std::size_t i = 0; i < 32; ++i) {
    int same = 0, parity = 0, rank = 0;
    for (std::size_t k = 0; k < 32; ++k) {
      if (x[k] % 5 == x[i] % 5) same += x[k];
      if (x[k] % 2 == x[i] % 2) ++parity, rank += k < i;
    }
    EXPECT_EQ(got[2 * i], same);
    EXPECT_EQ(got[2 * i + 1], parity * 100 + rank);
  }
}

TEST_P(Groups, FloatsReduceInATree) {
  std::vector<float> x(64);
  for (std::size_t i = 0; i < 64; ++i) x[i] = float(i * 7 % 31) * 0.5f;
  const auto px = tensor("x", x), y = output<float>("y", 128);
  run("floats", grid_of(1, 64), px, y);
  const auto got = values<float>(y, 128);
  for (std::size_t i = 0; i < 64; ++i) {
    const auto first = x.begin() + long(i / 32 * 32);
    EXPECT_EQ(got[2 * i], std::accumulate(first, first + 32, 0.0f));
    EXPECT_EQ(got[2 * i + 1], *std::min_element(first, first + 32));
  }
}

TEST_P(Groups, TheGridMeetsAtItsBarrier) {
  const int n = 6 * 64, rounds = 3;
  auto a = scrambled(std::size_t(n), 10);
  const auto pa = tensor("a", a), pb = output<int>("b", std::size_t(n));
  Grid grid = grid_of(6, 64);
  grid.cooperative = true;
  run("grid_sync", grid, pa, pb, rounds);
  for (int r = 0; r < rounds; ++r) {
    std::vector<int> b(a.size());
    for (int i = 0; i < n; ++i) b[std::size_t(i)] = a[std::size_t((i + 1) % n)] + 1;
    for (int i = 0; i < n; ++i) a[std::size_t(i)] = b[std::size_t((i + n - 1) % n)] * 2;
  }
  EXPECT_EQ(values<int>(pa, std::size_t(n)), a);
}

TEST_P(Groups, TilesMayBeLargerThanAWarp) {
  const auto x = scrambled(256, 100);
  const auto px = tensor("x", x), y = output<int>("y", 256);
  run("block_tile", grid_of(1, 256), px, y);
  const auto got = values<int>(y, 256);
  for (std::size_t i = 0; i < 256; ++i)
    EXPECT_EQ(got[i], sum(x, i / 128 * 128, 128) + int(i / 128));
}

TEST_P(Groups, CopiesOfAGroupArrive) {
  const auto x = scrambled(100, 1000);
  const auto px = tensor("x", x), y = output<int>("y", 100);
  Grid grid = grid_of(1, 64);
  grid.dynamic_shared = 400;
  run("copies", grid, px, y, 100);
  EXPECT_EQ(values<int>(y, 100), std::vector<int>(x.rbegin(), x.rend()));
}

TEST_P(BlockAlgorithms, ReduceAndScan) {
  const auto x = scrambled(128, 1000);
  const auto px = tensor("x", x), y = output<int>("y", 262);
  run("sums", grid_of(1, 128), px, y);
  const auto got = values<int>(y, 262);
  EXPECT_EQ(got[0], sum(x, 0, 128));
  EXPECT_EQ(got[1], *std::max_element(x.begin(), x.begin() + 100));
  for (std::size_t i = 0; i < 128; ++i) {
    EXPECT_EQ(got[2 + i], sum(x, 0, i));
    EXPECT_EQ(got[130 + i], sum(x, 0, 128));
  }
  for (std::size_t w = 0; w < 4; ++w) EXPECT_EQ(got[258 + w], sum(x, w * 32, 32));
}

TEST_P(BlockAlgorithms, RadixSortIsStable) {
  const auto x = scrambled(512, 300);
  std::vector<unsigned> keys(x.begin(), x.end());
  const auto pk = tensor("keys", keys), out = output<unsigned>("out", 512),
             values_out = output<int>("values", 512);
  run("sorts", grid_of(1, 128), pk, out, values_out);
  std::vector<int> order(512);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return keys[std::size_t(a)] < keys[std::size_t(b)]; });
  EXPECT_EQ(values<int>(values_out, 512), order);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(values<unsigned>(out, 512), keys);
}

TEST_P(BlockAlgorithms, RadixSortTakesFloats) {
  const auto x = scrambled(128, 1000);
  std::vector<float> keys(128);
  for (std::size_t i = 0; i < 128; ++i) keys[i] = float(x[i] - 500) * 0.25f;
  const auto pk = tensor("keys", keys), out = output<float>("out", 128);
  run("floats_sorted", grid_of(1, 64), pk, out);
  std::sort(keys.rbegin(), keys.rend());
  EXPECT_EQ(values<float>(out, 128), keys);
}

TEST_P(BlockAlgorithms, BothHistogramsCount) {
  const auto x = scrambled(256, 40);
  std::vector<unsigned char> bytes(x.begin(), x.end());
  const auto px = tensor("x", bytes), y = output<unsigned>("y", 512);
  run("histograms", grid_of(1, 64), px, y);
  std::vector<unsigned> bins(512);
  for (const int each : x) ++bins[std::size_t(each)], ++bins[std::size_t(each) + 256];
  EXPECT_EQ(values<unsigned>(y, 512), bins);
}

TEST_P(BlockAlgorithms, ExchangesStripeAndFlagHeads) {
  auto x = scrambled(256, 90);
  std::sort(x.begin(), x.end());
  const auto px = tensor("x", x), y = output<int>("y", 576);
  run("exchanges", grid_of(1, 64), px, y);
  const auto got = values<int>(y, 576);
  for (std::size_t i = 0; i < 256; ++i) {
    EXPECT_EQ(got[i], x[i]);
    EXPECT_EQ(got[256 + i], i == 0 || x[i] / 8 != x[i - 1] / 8);
  }
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(got[512 + i], sum(x, i / 32 * 32, i % 32 + 1));
}

}  // namespace
}  // namespace kp::vgpu
