// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"
#include "propose/row_source.h"

namespace kp::propose {
namespace {

TEST(SplitRow, gives_each_lane_of_a_group_a_share_of_the_row) {
  const FakeSubject subject(nearest(kBody));
  const auto versions = subject.versions(*make_split_row());
  ASSERT_EQ(versions.size(), 2u);
  const std::string& source = versions[1].source;
  EXPECT_TRUE(contains(source, "tune LANES in 16, 8, 32, 4")) << source;
  EXPECT_TRUE(contains(source, "ceil_div(queries * LANES, 128)")) << source;
  EXPECT_TRUE(contains(source, "float mine[DIM / LANES], sum[DIM / LANES];")) << source;
  EXPECT_TRUE(contains(source, "dot = kp_group_add_float(dot);")) << source;
  EXPECT_TRUE(contains(source, "if (kp_lane == 0) best[row] = largest;")) << source;
}

TEST(SplitRow, leaves_a_kernel_that_other_rewrites_understand) {
  const auto split =
      FakeSubject(changed("dot += mine", "dot += 1.0 * mine")).versions(*make_split_row());
  ASSERT_EQ(split.size(), 2u);
  const auto both = FakeSubject(split[1].source).versions(*make_float_literals());
  ASSERT_FALSE(both.empty());
  EXPECT_TRUE(contains(both[0].source, "dot += 1.0f * mine[kp_turn]")) << both[0].source;
}

TEST(SplitRow, shares_only_lengths_that_the_lanes_divide) {
  std::string source = nearest(kBody);
  source.replace(source.find("#define DIM 64"), 14, "#define DIM 40");
  const auto versions = FakeSubject(source).versions(*make_split_row());
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_TRUE(contains(versions[0].source, "tune LANES in 8, 4\n")) << versions[0].source;
}

struct Case {
  std::string from, to, why;
};

TEST(SplitRow, refuses_with_the_reason) {
  const Case cases[] = {
      {"mine[d] * key", "mine[DIM - 1 - d] * key", "more than the element of a turn"},
      {"largest = fmaxf(largest, dot);", "largest = fmaxf(largest, dot + sum[0]);",
       "more than the element of a turn"},
      {"largest = fmaxf(largest, dot);", "largest = fmaxf(best[j], dot);", "more than stored"},
      {"largest = fmaxf(largest, dot);", "largest = fmaxf(largest, dot * threadIdx.x);",
       "threadIdx.x"},
      {"mine[DIM], sum[DIM];", "mine[DIM] = {}, sum[DIM];", "value from the start"},
      {"for (int j = 0; j < keys; ++j) {", "while (largest < 3.0f) {\n    int j = 0;",
       "lanes cannot share"},
      {"largest = fmaxf(largest, dot);", "atomicAdd(best, dot);", "under a bounds check"},
  };
  for (const Case& c : cases) {
    const std::string why = FakeSubject(changed(c.from, c.to)).refusal(*make_split_row());
    EXPECT_TRUE(contains(why, c.why)) << c.to << ": " << why;
  }
}

TEST(SplitRow, refuses_blocks_that_are_not_whole_warps) {
  EXPECT_TRUE(contains(FakeSubject(nearest(kBody, 100)).refusal(*make_split_row()), "whole warps"));
}

TEST(SplitRow, refuses_rows_without_loops_of_constant_length) {
  std::string body =
      "  float sum = 0.0f;\n"
      "  for (int j = 0; j < keys; ++j) sum += key[j];\n  best[row] = sum;\n"
      "  mean[row] = sum;\n";
  EXPECT_TRUE(contains(FakeSubject(nearest(body)).refusal(*make_split_row()), "constant length"));
}

}  // namespace
}  // namespace kp::propose
