// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "task/task.h"

namespace kp::task {
namespace {

Plan plan_of(const std::string& source) {
  const auto parsed = parse_plan(source, "k.cu");
  EXPECT_TRUE(parsed) << parsed.error().text() << "\n" << source;
  return parsed ? parsed->plan : Plan{};
}

constexpr const char* kCanonical = R"(/* kernelpro
precision f16
level cutlass
tune BLOCK in 128, -1 where BLOCK <= cols && BLOCK != 3
tune S in 1
buffer part : f32[rows * 4, 2]
buffer flag : u32[1] = 0
tensormap t = x box(64, 32) swizzle 128B
prepare launch pack<<<1, 32>>>(w, part)
prepare zero part
zero part
launch first<<<(rows, 4), (BLOCK, 1, 2), BLOCK * 4>>>(x, -2.5, 1e-05, 3.0, rows * 2, -1) cluster(2) cooperative
launch second<<<ceil_div(rows, 2), (32, 8)>>>() cluster(2, 1, 2)
oracle launch exact<<<rows, 1>>>(x, y)
*/)";

TEST(PrintPlan, GivesBackWhatIsAlreadyCanonical) {
  EXPECT_EQ(print_plan(plan_of(kCanonical)), kCanonical);
}

TEST(PrintPlan, MakesAnyPlanCanonical) {
  const Plan plan = plan_of(R"(/* kernelpro
 * launch k<<<dim3(a  +  b,   // a remark
 *                 1), (32),
 *            0, 0>>>(x,y , (c)*2);
 * level raw */)");
  EXPECT_EQ(print_plan(plan), "/* kernelpro\nlaunch k<<<a + b, (32)>>>(x, y, (c)*2)\n*/");
}

TEST(ReplacePlan, KeepsTheDeclarationAndTheCode) {
  const std::string source = R"(// before
/* kernelpro
axis n = 8   // how many
output y : f32[n]
tune B in 32, 64
launch k<<<1, B>>>(y)
*/
__global__ void k();
)";
  Plan plan = plan_of(source);
  plan.tunes.clear();
  std::get<Launch>(plan.steps[0]).block.x = Expr(128);
  const auto replaced = replace_plan(source, "k.cu", plan);
  ASSERT_TRUE(replaced) << replaced.error().text();
  EXPECT_EQ(*replaced, R"(// before
/* kernelpro
axis n = 8
output y : f32[n]
launch k<<<1, 128>>>(y)
*/
__global__ void k();
)");
}

TEST(ReplacePlan, FailsWithoutAPlan) { EXPECT_FALSE(replace_plan("int a;", "k.cu", Plan{})); }

TEST(FindPlan, GivesTheRangeOfTheComment) {
  const std::string source = "int a; /* kernelpro\nx */ int b;";
  const auto range = find_plan(source, "k.cu");
  ASSERT_TRUE(range);
  EXPECT_EQ(source.substr(range->begin, range->end - range->begin), "/* kernelpro\nx */");
}

}  // namespace
}  // namespace kp::task
