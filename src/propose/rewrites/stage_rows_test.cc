// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"
#include "propose/row_source.h"

namespace kp::propose {
namespace {

TEST(StageRows, brings_rows_that_the_block_needs_through_shared_memory) {
  const FakeSubject subject(nearest(kBody));
  const auto versions = subject.versions(*make_stage_rows());
  ASSERT_EQ(versions.size(), 1u);
  const std::string& source = versions[0].source;
  EXPECT_TRUE(contains(source, "__shared__ __align__(16) float kp_rows_key[64][64];")) << source;
  EXPECT_TRUE(contains(source, "dot += mine[kp_turn] * kp_rows_key[j - kp_first][d];")) << source;
  EXPECT_TRUE(contains(source, "const int kp_end = (keys);")) << source;
  EXPECT_TRUE(contains(source, "if (kp_lane == 0 && kp_inside) best[row] = largest;")) << source;
  EXPECT_FALSE(contains(source, "return;")) << source;
}

TEST(StageRows, goes_as_far_as_the_last_thread_of_the_block) {
  const auto versions = FakeSubject(changed("j < keys", "j <= row")).versions(*make_stage_rows());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_TRUE(contains(versions[0].source, "atomicMax(&kp_end, (row) + 1);")) << versions[0].source;
}

TEST(StageRows, leaves_a_kernel_that_other_rewrites_understand) {
  const auto staged =
      FakeSubject(changed("dot += mine", "dot += 1.0 * mine")).versions(*make_stage_rows());
  ASSERT_EQ(staged.size(), 1u);
  EXPECT_EQ(FakeSubject(staged[0].source).versions(*make_float_literals()).size(), 1u);
}

struct Case {
  std::string from, to, why;
};

TEST(StageRows, refuses_with_the_reason) {
  const Case cases[] = {
      {"mine[d] * key[j * DIM + d]", "mine[d] * key[(j + row) % keys * DIM + d]", "in common"},
      {"mine[DIM], sum[DIM];", "mine[DIM] = {}, sum[DIM];", "value from the start"},
  };
  for (const Case& c : cases) {
    std::string source = changed(c.from, c.to);
    const std::string second = "sum[d] += dot * key[j * DIM + d]";
    source.replace(source.find(second), second.size(), "sum[d] += dot");
    const std::string why = FakeSubject(source).refusal(*make_stage_rows());
    EXPECT_TRUE(contains(why, c.why)) << c.to << ": " << why;
  }
}

}  // namespace
}  // namespace kp::propose
