// SPDX-License-Identifier: Apache-2.0
#include "task/problem_structure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "task/problem_fixture.h"

namespace kp::task {
namespace {

using Form = Structure::Form;
using TwoValues = Structure::TwoValues;

std::vector<double> uniform(std::size_t count, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = random.uniform();
  return values;
}

std::vector<double> filled(const Structure& structure, const MatrixExtents& extents,
                           std::size_t matrices = 1) {
  auto values = uniform(matrices * extents.rows * extents.columns);
  apply(structure, extents, values);
  return values;
}

Structure found(const std::vector<double>& values, const MatrixExtents& extents,
                bool whole = false) {
  return structure_of(values, extents, whole);
}

TEST(ProblemStructure, FindsEveryForm) {
  for (const Form form :
       {Form::kUpper, Form::kLower, Form::kSymmetric, Form::kDiagonal, Form::kAscending}) {
    const MatrixExtents square{24, 24};
    const Structure structure{form, {}};
    EXPECT_EQ(found(filled(structure, square), square), structure) << text_of(structure);
    EXPECT_EQ(found(filled(structure, {5, 5}, 12), {5, 5}).form, form) << "in a batch";
  }
  EXPECT_EQ(found(filled({Form::kUpper, {}}, {12, 40}), {12, 40}).form, Form::kUpper);
  EXPECT_EQ(found(filled({Form::kAscending, {}}, {1, 90}), {1, 90}).form, Form::kAscending);
}

TEST(ProblemStructure, AnOrderIsMeantWhereFewOrdersAreAscending) {
  EXPECT_FALSE(found({1, 2, 3, 4, 5, 6, 7, 8}, {1, 8}, true).any()) << "one order in 40,320";
  EXPECT_EQ(
      found({1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 8}, true)
          .form,
      Form::kAscending)
      << "three rows";
  EXPECT_FALSE(found(std::vector<double>(500, 3), {1, 500}, true).any()) << "equal everywhere";
}

TEST(ProblemStructure, TakesNoChanceForAForm) {
  const MatrixExtents square{24, 24};
  EXPECT_FALSE(found(uniform(24 * 24), square).any());
  EXPECT_FALSE(found(std::vector<double>(24 * 24, 0), square).any()) << "zero everywhere";
  EXPECT_FALSE(found(std::vector<double>(24 * 24, 1), square).any()) << "a constant";
  EXPECT_FALSE(found({1, 2, 0, 3}, {2, 2}).any()) << "too small to tell";
  EXPECT_FALSE(found(filled({Form::kUpper, {}}, {6, 6}), {6, 6}).any()) << "15 zeroes";
  auto sparse = std::vector<double>(24 * 24, 0);
  sparse[3] = sparse[30] = 1;
  EXPECT_EQ(found(sparse, square, true).form, Form::kNone) << "a mask that is nearly empty";
}

TEST(ProblemStructure, OneElementOutOfPlaceIsNoForm) {
  const MatrixExtents square{24, 24};
  for (const Form form : {Form::kUpper, Form::kLower, Form::kSymmetric, Form::kDiagonal}) {
    auto values = filled({form, {}}, square);
    values[5 * 24 + 2] += 1, values[2 * 24 + 5] += 2;
    EXPECT_FALSE(found(values, square).any()) << text_of({form, {}});
  }
  auto values = filled({Form::kAscending, {}}, square);
  std::swap(values[100], values[101]);
  EXPECT_FALSE(found(values, square).any());
}

TEST(ProblemStructure, FindsTwoValuesAndTheirShare) {
  const MatrixExtents row{1, 4000};
  const auto signs = found(filled({Form::kNone, TwoValues{-1, 1, 0.5}}, row), row);
  ASSERT_TRUE(signs.two);
  EXPECT_EQ(signs.two->low, -1);
  EXPECT_NEAR(signs.two->share, 0.5, 0.05);
  const auto mask = found(filled({Form::kNone, TwoValues{0, 1, 0.1}}, row), row, true);
  ASSERT_TRUE(mask.two);
  EXPECT_NEAR(mask.two->share, 0.1, 0.02);
  EXPECT_FALSE(found(filled({Form::kNone, TwoValues{0, 1, 0.5}}, row), row, true).any())
      << "as whole numbers are drawn anyway";
  EXPECT_FALSE(found({0, 1, 0, 1}, {1, 4}).any()) << "too few to tell";
  EXPECT_FALSE(found({7, 9, 7, 9, 7, 9, 7, 9, 7, 9, 7, 9, 7, 9, 7, 9}, {1, 16}, true).any())
      << "whole numbers repeat";
}

TEST(ProblemStructure, AMaskOfOnesInATriangleStaysOne) {
  const MatrixExtents square{24, 24};
  const Structure causal{Form::kLower, TwoValues{1, 1, 1}};
  EXPECT_EQ(found(filled(causal, square), square, true), causal);
  EXPECT_EQ(found(filled(causal, square), square), (Structure{Form::kLower, {}}))
      << "floats are drawn anew";
}

class Draws : public FakeWorker {
 public:
  std::function<std::vector<double>(std::uint64_t seed)> of_x;
  int asked = 0;
  Result<torch::Tensors> draw(const torch::Drawing& drawing) override {
    ++asked;
    return torch::Tensors{{"x", of_x(drawing.seed)}};
  }
  Structures found() {
    torch::Description seen;
    seen.inputs = {member("x", "float32", {24, 24}), member("unseen", "float32", {24, 24})};
    return find_structures(*this, 1, {}, seen).value();
  }
};

TEST(ProblemStructure, MustBeThereInTwoDraws) {
  Draws draws;
  draws.of_x = [](std::uint64_t seed) {
    auto values = uniform(24 * 24, seed);
    apply({Form::kUpper, {}}, {24, 24}, values);
    return values;
  };
  EXPECT_EQ(draws.found(), (Structures{{"x", {Form::kUpper, {}}}}));
  draws.of_x = [&draws](std::uint64_t seed) {
    auto values = uniform(24 * 24, seed);
    if (draws.asked % 2 == 1) apply({Form::kUpper, {}}, {24, 24}, values);
    return values;
  };
  draws.asked = 0;
  EXPECT_TRUE(draws.found().empty());
  EXPECT_EQ(draws.asked, 2);
}

TEST(ProblemStructure, IsLookedForOnceWhereThereIsNone) {
  Draws draws;
  draws.of_x = [](std::uint64_t seed) { return uniform(24 * 24, seed); };
  EXPECT_TRUE(draws.found().empty());
  EXPECT_EQ(draws.asked, 1);
}

}  // namespace
}  // namespace kp::task
