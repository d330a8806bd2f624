// SPDX-License-Identifier: Apache-2.0
// Atomic operations of every kind and width, and the order they make.
#include "kernels/compiled.h"

namespace kp::vgpu {
namespace {

KP_COMPILED(Atomics, "atomics");

TEST_P(Atomics, ReferencesCountAndAgree) {
  const auto count = tensor("count", std::vector{0}), data = tensor("data", std::vector{7});
  const auto f = tensor("f", std::vector{0.0f});
  const auto big = tensor("big", std::vector<unsigned long long>{0});
  const auto y = output<int>("y", 192);
  run("atomic_refs", grid_of(3, 64), count, data, f, big, y);
  EXPECT_EQ(values<int>(count, 1)[0], 192);
  EXPECT_EQ(values<int>(data, 1)[0], 7 + 2 * 192);
  EXPECT_EQ(values<float>(f, 1)[0], 96.0f);
  EXPECT_EQ(values<unsigned long long>(big, 1)[0], 1063u);
  EXPECT_EQ(values<int>(y, 192), std::vector<int>(192, 1));
}

TEST_P(Atomics, AFlagReleasedIsAnOrder) {
  const auto data = output<int>("data", 64), y = output<int>("y", 64);
  const auto flag = tensor("flag", std::vector{0});
  run("flags", grid_of(2, 64), data, flag, y);
  const auto got = values<int>(y, 64);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(got[std::size_t(i)], 3 * i + 1);
}

TEST_P(Atomics, VectorsAreAddedElementByElement) {
  const auto v4 = tensor("v4", std::vector<float>(33 * 4, 1)),
             v2 = tensor("v2", std::vector<float>(2, 0)), y = output<float>("y", 32);
  run("vectors", grid_of(1, 32), v4, v2, y);
  const auto got = values<float>(v4, 8);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(got[k], 1 + 32.0f * float(k + 1));
    EXPECT_EQ(got[4 + k], 2.0f + float(k));
  }
  EXPECT_EQ(values<float>(v2, 2), (std::vector{16.0f, 8.0f}));
  EXPECT_EQ(values<float>(y, 32), std::vector<float>(32, 2.0f));
}

TEST_P(Atomics, EveryOperationHasItsResult) {
  const int n = 64;
  const auto i = tensor("i", std::vector<int>{0, 0, 0, 0, -1, 0, 0}),
             u = tensor("u", std::vector<unsigned>{0, 3, 0, 0, 9, 0}),
             l = tensor("l", std::vector<unsigned long long>{0, 0, ~0ull, 0, 0, 0, 0}),
             s = tensor("s", std::vector<long long>{0, 0}), d = tensor("d", std::vector{0.0}),
             sh = tensor("sh", std::vector<int>(9));
  run("kinds", grid_of(1, n), i, u, l, s, d, sh);
  const unsigned low = 0x7fff'ffff;
  EXPECT_EQ(values<int>(i, 7), (std::vector<int>{n, -2 * n, -63, 63, int(~low), int(low), 0}));
  EXPECT_EQ(values<unsigned>(u, 6), (std::vector<unsigned>{n % 11, 3, 5, 9, 0, 63}));
  const std::vector<unsigned long long> longs{64ull << 33, 63ull << 40, 1ull << 63, ~0ull >> 1,
                                              0,           3,           4};
  EXPECT_EQ(values<unsigned long long>(l, 7), longs);
  EXPECT_EQ(values<long long>(s, 2), (std::vector<long long>{-63, 63}));
  EXPECT_EQ(values<double>(d, 1)[0], 32.0);
  EXPECT_EQ(values<int>(sh, 9), (std::vector{64, 63, -63, 0, 64, 63, 16, 64, 7}));
}

TEST_P(Atomics, SixteenBytesAreExchangedAsOne) {
  const auto p = tensor("p", std::vector<unsigned long long>{1, 2}),
             y = output<unsigned long long>("y", 64);
  run("wide", grid_of(1, 32), p, y);
  EXPECT_EQ(values<unsigned long long>(p, 2), (std::vector<unsigned long long>{5, 32}));
  EXPECT_EQ(values<unsigned long long>(y, 4), (std::vector<unsigned long long>{1, 2, 5, 1}));
}

TEST_P(Atomics, ReductionsReturnNothing) {
  const auto i = tensor("i", std::vector{0, 0}), f = tensor("f", std::vector<float>(8, 0));
  run("reds", grid_of(2, 32), i, f);
  EXPECT_EQ(values<int>(i, 2), (std::vector{192, 31}));
  const auto got = values<float>(f, 4);
  EXPECT_EQ(got, (std::vector{32.0f, 0.0f, 64.0f, 128.0f}));
  EXPECT_EQ(values<unsigned>(f + 16, 4), std::vector<unsigned>(4, 0x5400'5400));
}

}  // namespace
}  // namespace kp::vgpu
