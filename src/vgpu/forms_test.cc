// SPDX-License-Identifier: Apache-2.0
// The rarer families: matrices, calls, tables, half-precision atomics, copies, mbarriers.
#include <cmath>
#include <numeric>

#include "vgpu/machine_fixture.h"

namespace kp::vgpu {
namespace {

class Forms : public MachineTest, public testing::WithParamInterface<Mode> {
 protected:
  Forms() : MachineTest("forms") { memory_.set_shadows(GetParam() == Mode::kCheck); }
  template <class... Arguments>
  void run(const std::string& kernel, Grid grid, Arguments... arguments) {
    const RunOptions options{.mode = GetParam(), .instruction_budget = 1'000'000};
    const auto result = launch(kernel, grid, options, arguments...);
    EXPECT_FALSE(result.fault) << result.fault->message << " at " << to_string(result.fault->spot);
    EXPECT_FALSE(result.out_of_budget);
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, Forms, testing::Values(Mode::kValues, Mode::kCheck, Mode::kCount),
                         [](const testing::TestParamInfo<Mode>& each) {
                           if (each.param == Mode::kCheck) return "check";
                           return each.param == Mode::kCount ? "count" : "values";
                         });

/// Small integers, exact in half precision.
int element(int row, int column, int salt) { return (row * 7 + column * 3 + salt) % 9 - 4; }

std::vector<std::uint16_t> halves(int rows, int columns, int salt, bool by_column = false) {
  std::vector<std::uint16_t> result(std::size_t(rows) * std::size_t(columns));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      result[std::size_t(by_column ? c * rows + r : r * columns + c)] =
          std::bit_cast<std::uint16_t>(static_cast<_Float16>(element(r, c, salt)));
  return result;
}

float product(int row, int column, int salt_a, int salt_b) {
  int sum = 0;
  for (int k = 0; k < 16; ++k) sum += element(row, k, salt_a) * element(k, column, salt_b);
  return float(sum);
}

TEST_P(Forms, WmmaMultipliesATile) {
  std::vector<float> c(256);
  std::iota(c.begin(), c.end(), 0.0f);
  const auto pa = tensor("a", halves(16, 16, 1)), pb = tensor("b", halves(16, 16, 5, true)),
             pc = tensor("c", c), pd = output<float>("d", 256);
  run("wmma_tile", grid_of(1, 32), pa, pb, pc, pd);
  const auto got = values<float>(pd, 256);
  for (int r = 0; r < 16; ++r)
    for (int k = 0; k < 16; ++k)
      ASSERT_EQ(got[std::size_t(r * 16 + k)], product(r, k, 1, 5) + float(r * 16 + k)) << r << k;
  EXPECT_EQ(memory_.first_undefined(pd, 1024), std::nullopt);
}

TEST_P(Forms, LdmatrixFeedsMma) {
  const auto pa = tensor("a", halves(16, 16, 2)), pb = tensor("b", halves(16, 8, 3)),
             pd = output<float>("d", 128);
  run("ldmatrix_tile", grid_of(1, 32), pa, pb, pd);
  const auto got = values<float>(pd, 128);
  for (int r = 0; r < 16; ++r)
    for (int k = 0; k < 8; ++k)
      ASSERT_EQ(got[std::size_t(r * 8 + k)], product(r, k, 2, 3)) << r << k;
}

TEST_P(Forms, CallsReturnToTheirCallers) {
  const auto y = output<int>("y", 64);
  run("calls", grid_of(1, 64), y);
  EXPECT_EQ(values<int>(y, 64)[4], 4 + 3);
  EXPECT_EQ(values<int>(y, 64)[40], 80 + 3);
}

TEST_P(Forms, SwitchesTakeEachLaneItsWay) {
  std::vector<int> x(32), y(32);
  std::iota(y.begin(), y.end(), 10);
  for (int i = 0; i < 32; ++i) x[std::size_t(i)] = i % 9;
  const auto px = tensor("x", x), py = tensor("y", y);
  run("many_ways", grid_of(1, 32), px, py);
  const auto got = values<int>(py, 32);
  EXPECT_EQ(got[0], 11);
  EXPECT_EQ(got[1], 7 + 11);
  EXPECT_EQ(got[2], 1 - 12 * 3);
  EXPECT_EQ(got[12], 102);
  EXPECT_EQ(got[13], 23 / 3);
  EXPECT_EQ(got[6], 16 ^ 21);
  EXPECT_EQ(got[8], 0);
}

TEST_P(Forms, AtomicsOfEveryPrecision) {
  const auto h = tensor("h", std::vector<std::uint32_t>{0}),
             b = tensor("b", std::vector<std::uint16_t>{0, 0}),
             f = tensor("f", std::vector<float>{0}), d = tensor("d", std::vector<double>{0}),
             m = tensor("m", std::vector<std::uint64_t>{0});
  run("half_atomics", grid_of(2, 32), h, b, f, d, m);
  EXPECT_EQ(values<std::uint32_t>(h, 1)[0], 0x5800'5000u);  // 128, 32
  EXPECT_EQ(values<std::uint16_t>(b, 1)[0], 0x4280u);       // 64
  EXPECT_EQ(values<float>(f, 1)[0], 16.0f);
  EXPECT_EQ(values<double>(d, 1)[0], 8.0);
  EXPECT_EQ(values<std::uint64_t>(m, 1)[0], std::uint64_t{31} << 40);
}

TEST_P(Forms, AsyncCopiesFillWithZeroes) {
  std::vector<float> x(53);
  std::iota(x.begin(), x.end(), 1.0f);
  const auto px = tensor("x", x), py = output<float>("y", 128);
  run("partial_copies", grid_of(1, 32), px, py, 53);
  const auto got = values<float>(py, 128);
  for (std::size_t i = 0; i < 128; ++i) ASSERT_EQ(got[i], i < 53 ? float(i + 1) : 0.0f) << i;
}

TEST_P(Forms, MbarrierPhasesSeparateWritersFromReaders) {
  std::vector<int> x(64);
  std::iota(x.begin(), x.end(), 0);
  const auto px = tensor("x", x), py = output<int>("y", 192);
  run("mbarriers", grid_of(2, 64), px, py);
  const auto got = values<int>(py, 192);
  for (int i = 0; i < 192; ++i) ASSERT_EQ(got[std::size_t(i)], 63 - i % 64 + i / 64) << i;
}

TEST_P(Forms, VectorsAndNarrowTypesKeepTheirValues) {
  std::vector<float> x(128);
  std::iota(x.begin(), x.end(), 0.0f);
  std::vector<std::int8_t> c(32);
  for (int i = 0; i < 32; ++i) c[std::size_t(i)] = std::int8_t(4 * i - 64);
  const auto px = tensor("x", x), pc = tensor("c", c), py = output<double>("y", 64),
             ph = output<std::int16_t>("h", 32);
  run("wide_loads", grid_of(1, 32), px, py, pc, ph);
  EXPECT_EQ(values<double>(py, 64)[7], (14.0 + 15.0));
  EXPECT_EQ(values<std::int16_t>(ph, 32)[3], -104);
}

TEST_P(Forms, ParametersByValueHaveAddresses) {
  std::array<int, 32> table;
  std::iota(table.begin(), table.end(), 100);
  const auto y = output<int>("y", 32);
  run("by_value", grid_of(1, 32), table, y);
  EXPECT_EQ(values<int>(y, 32)[5], 100 + 26 + 101);
}

TEST_P(Forms, ConstantMemoryHoldsItsInitialValues) {
  const auto y = output<int>("y", 32);
  run("constants", grid_of(1, 32), y);
  EXPECT_EQ(values<int>(y, 32)[3], 1000);
}

TEST_P(Forms, WarpsThatPollLetOthersRun) {
  const auto y = output<int>("y", 4);
  run("warps_hand_over", grid_of(1, 128), y);
  EXPECT_EQ(values<int>(y, 4), (std::vector{30, 20, 10, 0}));
}

}  // namespace
}  // namespace kp::vgpu
