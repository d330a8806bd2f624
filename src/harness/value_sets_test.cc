// SPDX-License-Identifier: Apache-2.0
#include "harness/value_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/convert.h"

namespace kp::harness {
namespace {

Task task_with(DType dtype, Distribution distribution = {}) {
  Task task;
  task.declaration.axes = {"n"};
  Tensor x;
  x.name = "x";
  x.dtype = dtype;
  x.shape = {Expr(3), Expr(1000)};
  x.distribution = distribution;
  Tensor y = x;
  y.name = "y";
  y.role = TensorRole::kOutput;
  task.declaration.tensors = {x, y};
  return task;
}

std::vector<double> draw(const Task& task, ValueSet set, std::uint64_t seed = 1) {
  Workload workload;
  workload.name = "w";
  return draw_inputs(task, workload, set, seed)->at("x");
}

TEST(Structure, IsKeptInEverySet) {
  using Form = Structure::Form;
  for (const Form form : {Form::kUpper, Form::kLower, Form::kSymmetric, Form::kDiagonal}) {
    Task task = task_with(DType::kF32);
    auto& tensors = task.declaration.tensors;
    tensors[0].shape = {Expr(2), Expr(40), Expr(40)};
    tensors[0].structure.form = form;
    for (const ValueSet set : value_sets_for(task.declaration, {.name = "w"})) {
      const auto x = draw(task, set);
      const auto nonzero = std::count_if(x.begin(), x.end(), [](double v) { return v != 0; });
      auto again = x;
      apply(tensors[0].structure, {40, 40}, again);
      // NaN is no value to compare.
      EXPECT_TRUE(std::equal(x.begin(), x.end(), again.begin(), again.end(),
                             [](double a, double b) { return a == b || (a != a && b != b); }))
          << name_of(set) << " " << text_of(tensors[0].structure);
      if (set != ValueSet::kNormal) continue;
      EXPECT_GE(nonzero, 80) << text_of(tensors[0].structure);
    }
  }
}

TEST(Structure, ZeroesThatNeedNotBeReadMeetNoSpecialValues) {
  Task task = task_with(DType::kF32);
  const auto has_special = [&] {
    const auto sets = value_sets_for(task.declaration, {.name = "w"});
    return std::find(sets.begin(), sets.end(), ValueSet::kSpecial) != sets.end();
  };
  EXPECT_TRUE(has_special());
  task.declaration.tensors[0].structure.form = Structure::Form::kSymmetric;
  EXPECT_TRUE(has_special());
  task.declaration.tensors[0].structure.form = Structure::Form::kLower;
  EXPECT_FALSE(has_special());
}

TEST(Structure, SortsRowsAndChoosesOfTwo) {
  Task task = task_with(DType::kI32, {Distribution::Kind::kInteger, 0, 500});
  task.declaration.tensors[0].structure.form = Structure::Form::kAscending;
  for (const ValueSet set : value_sets_for(task.declaration, {.name = "w"})) {
    const auto x = draw(task, set);
    for (int row = 0; row < 3; ++row)
      EXPECT_TRUE(std::is_sorted(x.begin() + row * 1000, x.begin() + (row + 1) * 1000))
          << name_of(set);
  }
  task = task_with(DType::kF32, {Distribution::Kind::kUniform, 0, 1});
  task.declaration.tensors[0].structure.two = Structure::TwoValues{-1, 1, 0.2};
  EXPECT_TRUE(has_zero_mean(ValueSet::kContract, task.declaration, {.name = "w"}));
  for (const ValueSet set : value_sets_for(task.declaration, {.name = "w"})) {
    for (const double value : draw(task, set)) EXPECT_EQ(std::fabs(value), 1) << name_of(set);
  }
  const auto x = draw(task, ValueSet::kContract);
  EXPECT_NEAR(static_cast<double>(std::count(x.begin(), x.end(), 1)), 600, 80);
}

/// A task whose `x` stands in a file of 3000 elements that count upwards.
class FromFile : public testing::Test {
 protected:
  Workload workload_with(DType dtype) {
    std::vector<double> values(3000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 100);
    std::string bytes(values.size() * size_of(dtype), '\0');
    encode(dtype, values, std::as_writable_bytes(std::span(bytes)));
    EXPECT_TRUE(write_file(folder_->path() / "x", bytes));
    Workload workload;
    workload.name = "w";
    workload.data["x"] = {folder_->path() / "x", "x", "x", 0, bytes.size()};
    return workload;
  }
  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(FromFile, IntegersAreTheSameInEverySet) {
  const Task task = task_with(DType::kI32);
  const Workload workload = workload_with(DType::kI32);
  for (const ValueSet set : {ValueSet::kContract, ValueSet::kLarge, ValueSet::kSorted}) {
    const auto x = draw_inputs(task, workload, set, 1)->at("x");
    EXPECT_EQ(x[101], 1) << name_of(set);
    EXPECT_EQ(x[2999], 99) << name_of(set);
  }
  EXPECT_EQ(value_sets_for(task.declaration, workload), std::vector<ValueSet>{ValueSet::kContract});
}

TEST_F(FromFile, FloatsAreTheContractAndFreeInOtherSets) {
  const Task task = task_with(DType::kF16);
  const Workload workload = workload_with(DType::kF16);
  EXPECT_EQ(draw_inputs(task, workload, ValueSet::kContract, 7)->at("x")[101], 1);
  EXPECT_FALSE(has_zero_mean(ValueSet::kContract, task.declaration, workload));
  EXPECT_LT(draw_inputs(task, workload, ValueSet::kUniform, 7)->at("x")[99], 1);
  EXPECT_TRUE(has_zero_mean(ValueSet::kUniform, task.declaration, workload));
}

TEST_F(FromFile, IntegersThatNoDoubleHoldsAreRefused) {
  const Task task = task_with(DType::kI64);
  const Workload workload = workload_with(DType::kI64);
  std::string bytes = read_file(folder_->path() / "x").value();
  bytes[7] = 0x7F;
  ASSERT_TRUE(write_file(folder_->path() / "x", bytes));
  const auto drawn = draw_inputs(task, workload, ValueSet::kContract, 1);
  ASSERT_FALSE(drawn);
  EXPECT_EQ(drawn.error().code, ErrorCode::kUnsupported);
  std::filesystem::resize_file(folder_->path() / "x", 100);
  EXPECT_EQ(draw_inputs(task, workload, ValueSet::kContract, 1).error().code, ErrorCode::kIo);
}

TEST(ValueSetsTest, EachSetIsWhatItsNameSays) {
  const Task task = task_with(DType::kF32);
  const auto all = [&](ValueSet set, auto&& holds) {
    const auto values = draw(task, set);
    return std::all_of(values.begin(), values.end(), holds);
  };
  EXPECT_TRUE(all(ValueSet::kUniform, [](double v) { return v >= -1 && v <= 1; }));
  EXPECT_TRUE(all(ValueSet::kShifted, [](double v) { return v > 90 && v < 110; }));
  EXPECT_TRUE(all(ValueSet::kLarge, [](double v) { return std::fabs(v) >= 999; }));
  EXPECT_TRUE(all(ValueSet::kTiny, [](double v) { return std::fabs(v) < 1e-28; }));
  EXPECT_TRUE(all(ValueSet::kIntegers,
                  [](double v) { return std::fabs(v) <= 2 && v == std::nearbyint(v); }));
  const auto needles = draw(task, ValueSet::kNeedles);
  EXPECT_EQ(
      std::count_if(needles.begin(), needles.end(), [](double v) { return std::fabs(v) == 100; }),
      3);
  const auto one_hot = draw(task, ValueSet::kOneHot);
  for (int row = 0; row < 3; ++row)
    EXPECT_EQ(std::count(one_hot.begin() + row * 1000, one_hot.begin() + (row + 1) * 1000, 1.0), 1);
  const auto equal = draw(task, ValueSet::kAllEqual);
  EXPECT_EQ(std::count(equal.begin(), equal.end(), equal[0]), 3000);
  const auto sorted = draw(task, ValueSet::kSorted);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  const auto special = draw(task, ValueSet::kSpecial);
  EXPECT_EQ(std::count_if(special.begin(), special.end(), [](double v) { return std::isnan(v); }),
            1);
  EXPECT_EQ(std::count_if(special.begin(), special.end(), [](double v) { return std::isinf(v); }),
            2);
}

TEST(ValueSetsTest, SmallTypesStayInTheirRange) {
  for (const DType type : {DType::kF16, DType::kBf16, DType::kF8E4M3, DType::kF8E5M2}) {
    for (const ValueSet set : {ValueSet::kLarge, ValueSet::kHeavyTail, ValueSet::kShifted}) {
      for (const double value : draw(task_with(type), set))
        ASSERT_TRUE(std::isfinite(value)) << name_of(type);
    }
  }
}

TEST(ValueSetsTest, ADeclaredIntervalIsKeptInEverySet) {
  const Task task = task_with(DType::kF32, {Distribution::Kind::kUniform, 0.25, 0.5});
  Workload workload;
  const auto sets = value_sets_for(task.declaration, workload);
  EXPECT_EQ(std::count(sets.begin(), sets.end(), ValueSet::kSpecial), 0);
  for (const ValueSet set : sets) {
    for (const double value : draw(task, set)) ASSERT_TRUE(value >= 0.25 && value <= 0.5);
  }
  EXPECT_FALSE(has_zero_mean(ValueSet::kContract, task.declaration, workload));
  EXPECT_TRUE(has_zero_mean(ValueSet::kNormal, task_with(DType::kF32).declaration, workload));
}

TEST(ValueSetsTest, IntegersWithoutADistributionFitTheirType) {
  for (const double value : draw(task_with(DType::kU8), ValueSet::kContract))
    ASSERT_TRUE(value >= 0 && value <= 100 && value == std::nearbyint(value));
  for (const double value : draw(task_with(DType::kBool), ValueSet::kContract))
    ASSERT_TRUE(value == 0 || value == 1);
}

TEST(ValueSetsTest, SeedsAndNothingElseDecide) {
  const Task task = task_with(DType::kF32);
  EXPECT_EQ(draw(task, ValueSet::kNormal, 5), draw(task, ValueSet::kNormal, 5));
  EXPECT_NE(draw(task, ValueSet::kNormal, 5), draw(task, ValueSet::kNormal, 6));
}

TEST(ValueSetsTest, ANudgeIsOneRoundingAndFlushesDenormals) {
  const Task task = task_with(DType::kF32);
  const TensorValues inputs{{"x", {1.0, -1e-40, 3e30}}};
  const auto moved = nudged(inputs, task, Precision::kF32, 1).at("x");
  EXPECT_NE(moved[0], 1.0);
  EXPECT_NEAR(moved[0], 1.0, 0x1p-23);
  EXPECT_EQ(moved[1], 0.0);
  EXPECT_NEAR(moved[2] / 3e30, 1.0, 0x1p-23);
}

TEST(ValueSetsTest, AScalarWithoutAValueIsAnError) {
  Task task = task_with(DType::kF32);
  task.declaration.tensors[0].shape.clear();
  Workload workload;
  workload.name = "w";
  EXPECT_FALSE(draw_inputs(task, workload, ValueSet::kContract, 1).has_value());
  workload.scalars["x"] = 0.1;
  EXPECT_EQ(draw_inputs(task, workload, ValueSet::kContract, 1)->at("x")[0],
            static_cast<double>(0.1f));
}

}  // namespace
}  // namespace kp::harness
