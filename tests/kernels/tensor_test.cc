// SPDX-License-Identifier: Apache-2.0
// Tensor cores: nvcuda::wmma and inline mma. Operands are small integers, so that sums are exact.
#include "kernels/compiled.h"

namespace kp::vgpu {
namespace {

KP_COMPILED(Tensor, "tensor");

int element(int row, int column, int salt) { return (row * 7 + column * 3 + salt) % 9 - 4; }

enum class Order { kRows, kColumns };

/// The bits of a number in a narrow format.
template <class T>
T cast(int value) {
  return T(value);
}
struct Half {
  std::uint16_t bits;
};
struct Brain {
  std::uint16_t bits;
};
template <>
Half cast<Half>(int value) {
  return {std::bit_cast<std::uint16_t>(static_cast<_Float16>(value))};
}
template <>
Brain cast<Brain>(int value) {
  return {std::uint16_t(std::bit_cast<std::uint32_t>(float(value)) >> 16)};
}
int number(Half x) { return int(std::bit_cast<_Float16>(x.bits)); }
template <class T>
int number(T x) {
  return int(x);
}

template <class T>
std::vector<T> matrix(int rows, int columns, int salt, Order order) {
  std::vector<T> x(std::size_t(rows * columns));
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      x[std::size_t(order == Order::kRows ? r * columns + c : c * rows + r)] =
          cast<T>(element(r, c, salt));
  return x;
}

struct Shape {
  int m, n, k;
};
int product(Shape shape, int row, int column) {
  int sum = 0;
  for (int k = 0; k < shape.k; ++k) sum += element(row, k, 1) * element(k, column, 5);
  return sum;
}

struct Orders {
  Order a, b, d = Order::kRows;
};

class Product : public Tensor {
 protected:
  /// d = f(a * b) for matrices in memory.
  template <class In, class Out, class F>
  void expect(const std::string& kernel, Shape shape, Orders orders, F f) {
    const auto a = tensor("a", matrix<In>(shape.m, shape.k, 1, orders.a)),
               b = tensor("b", matrix<In>(shape.k, shape.n, 5, orders.b));
    const auto size = std::size_t(shape.m * shape.n);
    const auto d = output<Out>("d", size);
    run(kernel, grid_of(1, 32), a, b, d);
    const auto got = values<Out>(d, size);
    for (int r = 0; r < shape.m; ++r)
      for (int c = 0; c < shape.n; ++c)
        ASSERT_EQ(
            number(got[std::size_t(orders.d == Order::kRows ? r * shape.n + c : c * shape.m + r)]),
            f(product(shape, r, c)))
            << kernel << " " << r << " " << c;
    EXPECT_EQ(memory_.first_undefined(d, size * sizeof(Out)), std::nullopt);
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, Product, testing::Values(Mode::kValues, Mode::kCheck, Mode::kCount),
                         mode_name);

TEST_P(Product, WmmaTakesEveryPrecisionAndShape) {
  const auto same = [](int x) { return x; };
  constexpr Order kRows = Order::kRows, kColumns = Order::kColumns;
  expect<Half, float>("wmma_half", {16, 16, 16}, {kRows, kRows}, [](int x) { return 2 * (x + 1); });
  expect<Half, Half>("wmma_half16", {32, 8, 16}, {kColumns, kColumns}, same);
  expect<Brain, float>("wmma_brain", {8, 32, 16}, {kRows, kRows, kColumns}, same);
  expect<float, float>("wmma_tf32", {16, 16, 8}, {kRows, kColumns}, same);
  expect<double, double>("wmma_double", {8, 8, 4}, {kRows, kColumns}, same);
  expect<signed char, int>("wmma_bytes", {16, 16, 16}, {kRows, kColumns}, same);
}

TEST_P(Tensor, LdmatrixMmaAndStmatrixAgree) {
  const auto a = matrix<Half>(16, 16, 1, Order::kRows);
  const auto pa = tensor("a", a), pb = tensor("b", matrix<Half>(16, 8, 5, Order::kRows)),
             d = output<float>("d", 128), back = output<Half>("back", 256);
  run("mma_inline", grid_of(1, 32), pa, pb, d, back);
  const auto got = values<float>(d, 128);
  const auto copy = values<Half>(back, 256);
  for (int r = 0; r < 16; ++r) {
    for (int c = 0; c < 8; ++c)
      ASSERT_EQ(got[std::size_t(r * 8 + c)], float(product({16, 8, 16}, r, c)));
    for (int c = 0; c < 16; ++c) ASSERT_EQ(number(copy[std::size_t(r * 16 + c)]), element(r, c, 1));
  }
}

TEST_P(Tensor, DoubleProductsAccumulate) {
  std::vector<double> a(64);
  for (int i = 0; i < 64; ++i) a[std::size_t(i)] = i % 11 - 5;
  const auto pa = tensor("a", a), d = output<double>("d", 128);
  run("mma_double", grid_of(1, 32), pa, d);
  const auto got = values<double>(d, 128);
  const auto at = [&](int base, int row, int column) {
    return a[std::size_t(base + row * 4 + column)];
  };
  for (int l = 0; l < 32; ++l) {
    for (int e = 0; e < 4; ++e) {
      const int row = l / 4, column = l % 4 * 2 + e % 2;
      double sum = 0;
      for (int k = 0; k < 4; ++k) {
        if (e < 2) sum += at(0, row, k) * at(32, column, k);
        sum += at(e < 2 ? 0 : 32, row, k) * at(5, column, k);
      }
      EXPECT_EQ(got[std::size_t(l * 4 + e)], sum) << l << " " << e;
    }
  }
}

TEST_P(Tensor, EveryKindOfMmaRuns) {
  const auto a = tensor("a", std::vector<unsigned>(256, 0)), d = output<float>("d", 128),
             e = output<int>("e", 192);
  run("mma_kinds", grid_of(1, 32), a, d, e);
  EXPECT_EQ(values<float>(d, 4), (std::vector{1.0f, 2.0f, 3.0f, 4.0f}));
  EXPECT_EQ(values<int>(e, 6), (std::vector{1, 2, 3, 4, 0, 0}));
}

}  // namespace
}  // namespace kp::vgpu
