// SPDX-License-Identifier: Apache-2.0
#include "task/problem_axes.h"

#include <gtest/gtest.h>

#include "task/problem_fixture.h"

namespace kp::task {
namespace {

ProblemSize size_of(torch::Constants constants) {
  return {constants, FakeWorker::rows_of_pairs(constants)};
}

std::string shape_text(const std::vector<Expr>& shape) {
  std::string text;
  for (const Expr& extent : shape) text += extent.text() + " ";
  return text;
}

TEST(ProblemAxes, have_the_names_of_the_constants_they_follow) {
  const auto axes = ProblemAxes::find({size_of({{"cols", 4096}, {"rows", 8192}, {"window", 2}}),
                                       size_of({{"cols", 64}, {"rows", 64}, {"window", 2}}),
                                       size_of({{"cols", 128}, {"rows", 64}, {"window", 2}})});
  ASSERT_TRUE(axes);
  EXPECT_EQ(axes->names(), (std::vector<std::string>{"rows", "cols", "bias_0"}));
  EXPECT_EQ(shape_text(axes->shape(0)), "rows cols ");
  EXPECT_EQ(shape_text(axes->shape(2)), "") << "a number has no shape";
  EXPECT_EQ(shape_text(axes->shape(3)), "bias_0 ") << "half of cols: no constant's";
  EXPECT_EQ(shape_text(axes->shape(4)), "3 cols ") << "what never changes is a number";
  EXPECT_EQ(shape_text(axes->shape(5)), "rows bias_0 ");
  EXPECT_EQ(axes->bindings(0), (Bindings{{"rows", 8192}, {"cols", 4096}, {"bias_0", 2048}}));
  EXPECT_EQ(axes->bindings(1), (Bindings{{"rows", 64}, {"cols", 64}, {"bias_0", 32}}));
}

TEST(ProblemAxes, are_told_apart_by_a_size_in_which_one_constant_differs) {
  const auto alike = ProblemAxes::find({size_of({{"cols", 64}, {"rows", 64}, {"window", 2}}),
                                        size_of({{"cols", 32}, {"rows", 32}, {"window", 2}})});
  ASSERT_TRUE(alike);
  EXPECT_EQ(shape_text(alike->shape(0)), "cols cols ");
  const auto apart = ProblemAxes::find({size_of({{"cols", 64}, {"rows", 64}, {"window", 2}}),
                                        size_of({{"cols", 32}, {"rows", 32}, {"window", 2}}),
                                        size_of({{"cols", 64}, {"rows", 32}, {"window", 2}})});
  ASSERT_TRUE(apart);
  EXPECT_EQ(shape_text(apart->shape(0)), "rows cols ");
}

TEST(ProblemAxes, do_not_take_the_name_of_a_tensor) {
  ProblemSize large = size_of({{"cols", 64}, {"rows", 64}, {"window", 2}}),
              small = size_of({{"cols", 32}, {"rows", 16}, {"window", 2}});
  for (ProblemSize* size : {&large, &small}) size->description.inputs[0].name = "rows";
  const auto axes = ProblemAxes::find({large, small});
  ASSERT_TRUE(axes);
  EXPECT_EQ(shape_text(axes->shape(0)), "rows_size cols ");
}

TEST(ProblemAxes, refuse_a_rank_that_depends_on_sizes) {
  ProblemSize large = size_of({{"cols", 64}, {"rows", 64}, {"window", 2}}),
              small = size_of({{"cols", 32}, {"rows", 16}, {"window", 2}});
  small.description.outputs[0].shape.pop_back();
  const auto axes = ProblemAxes::find({large, small});
  ASSERT_FALSE(axes);
  EXPECT_EQ(axes.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace kp::task
