// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "task/task.h"

namespace kp::task {
namespace {

ParsedPlan parsed(const std::string& body) {
  auto result = parse_plan("/* kernelpro\n" + body + "\n*/\n", "k.cu");
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  return result ? *std::move(result) : ParsedPlan{};
}

std::int64_t value(const Expr& expr, const Bindings& bindings = {}) {
  const auto result = expr.evaluate(bindings);
  EXPECT_TRUE(result) << (result ? "" : result.error().text());
  return result.value_or(-1);
}

/// The value of an expression, as the grid of a launch.
std::int64_t grid(const std::string& expr, const Bindings& bindings = {}) {
  const ParsedPlan plan = parsed("launch k<<<" + expr + ", 1>>>()");
  if (plan.plan.steps.empty()) return -1;
  return value(std::get<Launch>(plan.plan.steps[0]).grid.x, bindings);
}

constexpr const char* kWholeGrammar = R"(
axis   rows = 4096, cols = 4096, half = ceil_div(cols, 2)   // a remark
check  rows = 67, cols = 129
time   rows = 8192
input  x : f32[rows, cols] ~ uniform(-1, 1.5)
input  index : i32[rows] ~ int(0, rows - 1)
input  eps : f32 = 1e-5
inout  state : f64[rows]
weight w : bf16[cols] ~ normal
output y : f32[rows, half]
precision tf32
work   flops = 5 * rows * cols, bytes = 8 * rows * cols, contraction
level  cute
tune   BLOCK in 128, 256, 512 where BLOCK <= cols
tune   STAGES in 1, 2
buffer part : f32[rows * 4, 2]
buffer flag : i32[1] = 0
tensormap tx = x box(64, 32) swizzle 128B
prepare launch pack<<<1, 32>>>(w, part)
zero   part
launch first<<<(rows, 4), dim3(BLOCK, 1, 1), BLOCK * 4, 0>>>(x, part, cols, eps, -2.5, 3, tx) cluster(2, 1) cooperative
launch second<<<(rows), 256>>>(
    part,   // brackets that are open go on over lines
    y, rows * 2);
oracle launch exact<<<rows, 1>>>(x, y)
)";

TEST(PlanParser, ReadsDeclarations) {
  const ParsedPlan plan = parsed(kWholeGrammar);
  EXPECT_TRUE(plan.declares_task);
  const Declaration& declaration = plan.declaration;
  EXPECT_EQ(declaration.axes, (std::vector<std::string>{"rows", "cols", "half"}));
  ASSERT_EQ(declaration.tensors.size(), 6u);
  EXPECT_EQ(declaration.precision, Precision::kTf32);
  const Tensor& x = *declaration.find("x");
  EXPECT_EQ(x.dtype, DType::kF32);
  EXPECT_EQ(x.shape.size(), 2u);
  EXPECT_EQ(x.distribution, (Distribution{Distribution::Kind::kUniform, -1, 1.5}));
  EXPECT_EQ(x.spot, (SourceSpot{"k.cu", 6, 8}));
  EXPECT_EQ(declaration.find("index")->distribution,
            (Distribution{Distribution::Kind::kInteger, 0, 4095}));
  EXPECT_EQ(declaration.find("eps")->scalar, 1e-5);
  EXPECT_EQ(declaration.find("state")->role, TensorRole::kInOut);
  EXPECT_EQ(declaration.find("w")->role, TensorRole::kWeight);
  EXPECT_EQ(declaration.find("y")->role, TensorRole::kOutput);
  EXPECT_EQ(declaration.work.flops->text(), "5 * rows * cols");
  EXPECT_EQ(value(*declaration.work.bytes, {{"rows", 2}, {"cols", 3}}), 48);
  EXPECT_TRUE(declaration.work.contraction);
}

TEST(PlanParser, ReadsWorkloadsFromAxisTimeAndCheckLines) {
  const ParsedPlan plan = parsed(kWholeGrammar);
  ASSERT_EQ(plan.workloads.size(), 3u);
  EXPECT_EQ(plan.workloads[0].name, "rows=4096,cols=4096");
  EXPECT_EQ(plan.workloads[0].role, WorkloadRole::kTime);
  EXPECT_EQ(plan.workloads[1].axes, (Bindings{{"rows", 8192}, {"cols", 4096}, {"half", 2048}}));
  EXPECT_EQ(plan.workloads[1].role, WorkloadRole::kTime);
  EXPECT_EQ(plan.workloads[2].axes, (Bindings{{"rows", 67}, {"cols", 129}, {"half", 65}}));
  EXPECT_EQ(plan.workloads[2].role, WorkloadRole::kCheck);
  EXPECT_EQ(plan.workloads[2].distributions.at("index").high, 66);
}

TEST(PlanParser, ReadsWhatACandidateNeeds) {
  const Plan plan = parsed(kWholeGrammar).plan;
  EXPECT_EQ(plan.level, IncludeLevel::kCute);
  ASSERT_EQ(plan.tunes.size(), 2u);
  EXPECT_EQ(plan.tunes[0].values, (std::vector<std::int64_t>{128, 256, 512}));
  EXPECT_EQ(plan.tunes[0].where->text(), "BLOCK <= cols");
  EXPECT_FALSE(plan.tunes[1].where);
  EXPECT_FALSE(plan.find_buffer("part")->zeroed);
  EXPECT_TRUE(plan.find_buffer("flag")->zeroed);
  ASSERT_EQ(plan.tensor_maps.size(), 1u);
  EXPECT_EQ(plan.tensor_maps[0].swizzle, "128B");
  EXPECT_EQ(plan.prepare.size(), 1u);
  EXPECT_EQ(plan.oracle.size(), 1u);
  ASSERT_EQ(plan.steps.size(), 3u);
  EXPECT_EQ(std::get<ZeroStep>(plan.steps[0]).buffer, "part");
}

TEST(PlanParser, ReadsLaunchesInCudaNotation) {
  const Plan plan = parsed(kWholeGrammar).plan;
  const Launch& first = std::get<Launch>(plan.steps[1]);
  EXPECT_EQ(first.kernel, "first");
  EXPECT_EQ(first.spot, (SourceSpot{"k.cu", 22, 8}));
  EXPECT_EQ(value(first.grid.y), 4);
  EXPECT_EQ(value(first.block.x, {{"BLOCK", 128}}), 128);
  EXPECT_EQ(value(first.shared_bytes, {{"BLOCK", 128}}), 512);
  EXPECT_EQ(value(first.cluster->x), 2);
  EXPECT_TRUE(first.cooperative);
  ASSERT_EQ(first.arguments.size(), 7u);
  EXPECT_EQ(std::get<std::string>(first.arguments[0].value), "x");
  EXPECT_EQ(std::get<std::string>(first.arguments[2].value), "cols");
  EXPECT_EQ(std::get<double>(first.arguments[4].value), -2.5);
  EXPECT_EQ(value(std::get<Expr>(first.arguments[5].value)), 3);
  const Launch& second = std::get<Launch>(plan.steps[2]);
  EXPECT_EQ(second.arguments.size(), 3u);
  EXPECT_FALSE(second.cluster);
  EXPECT_FALSE(second.cooperative);
}

TEST(PlanParser, BindsOperatorsAsInC) {
  EXPECT_EQ(grid("1 + 2 * 3"), 7);
  EXPECT_EQ(grid("(1 + 2) * 3"), 9);
  EXPECT_EQ(grid("20 - 5 - 3"), 12);
  EXPECT_EQ(grid("100 / 7 / 2"), 7);
  EXPECT_EQ(grid("17 % 5"), 2);
  EXPECT_EQ(grid("-3 + 5"), 2);
  EXPECT_EQ(grid("2 * -3 + 10"), 4);
  EXPECT_EQ(grid("1 < 2 == 1"), 1);
  EXPECT_EQ(grid("1 || 0 && 0"), 1);
  EXPECT_EQ(grid("!0 + 1"), 2);
  EXPECT_EQ(grid("3 != 3 || 4 >= 4"), 1);
  EXPECT_EQ(grid("ceil_div(10, 4)"), 3);
  EXPECT_EQ(grid("max(min(7, 3, 5), 2)"), 3);
  EXPECT_EQ(grid("0x20"), 32);
  EXPECT_EQ(grid("min + max", {{"min", 3}, {"max", 4}}), 7);
}

TEST(PlanParser, TellsATupleFromAnExpressionInBrackets) {
  const auto launch = [](const std::string& dims) {
    return std::get<Launch>(parsed("launch k<<<" + dims + ">>>()").plan.steps.at(0));
  };
  EXPECT_EQ(value(launch("(2 + 3) * 4, 32").grid.x), 20);
  EXPECT_EQ(value(launch("(2, 3), 32").grid.y), 3);
  EXPECT_EQ(value(launch("(min(2, 9)), (4, 5, 6)").grid.x), 2);
  EXPECT_EQ(value(launch("(min(2, 9)), (4, 5, 6)").block.z), 6);
  EXPECT_EQ(value(launch("dim3(7), dim3(8, 9)").block.y), 9);
}

TEST(PlanParser, IgnoresCommentsAndDecoration) {
  const auto result = parse_plan(R"(
// kernelpro is not a plan here
const char* text = "/* kernelpro";
/* another comment about kernelpro */
/* kernelpro
 * tune B in 32, 64   // the block
 *
 * launch k<<<B,
 *            B * 2>>>(x)
 */
)",
                                 "k.cu");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(value(std::get<Launch>(result->plan.steps[0]).block.x, {{"B", 32}}), 64);
  EXPECT_EQ(result->plan.spot, (SourceSpot{"k.cu", 5, 1}));
  EXPECT_FALSE(result->declares_task);
}

TEST(PlanParser, ReadsAPlanOnOneLine) {
  const auto result = parse_plan("/* kernelpro launch k<<<1, 32>>>(x); zero b */", "k.cu");
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->plan.steps.size(), 2u);
}

TEST(PlanParser, GivesInputsADefaultDistributionByType) {
  const Declaration declaration = parsed(R"(axis n = 8
input a : f16[n]
input b : u8[n]
input c : i8[n]
input d : i64[n]
input e : bool[n]
input f : u16[n]
output y : f32[n]
launch k<<<1, 1>>>(a, y))")
                                      .declaration;
  using Kind = Distribution::Kind;
  EXPECT_EQ(declaration.find("a")->distribution.kind, Kind::kNormal);
  EXPECT_EQ(declaration.find("b")->distribution, (Distribution{Kind::kInteger, 0, 255}));
  EXPECT_EQ(declaration.find("c")->distribution, (Distribution{Kind::kInteger, -128, 127}));
  EXPECT_EQ(declaration.find("d")->distribution, (Distribution{Kind::kInteger, -1000, 1000}));
  EXPECT_EQ(declaration.find("e")->distribution, (Distribution{Kind::kInteger, 0, 1}));
  EXPECT_EQ(declaration.find("f")->distribution, (Distribution{Kind::kInteger, 0, 1000}));
}

TEST(PlanParser, TakesTheLoosestFloatingTypeAsPrecision) {
  const auto precision = [](const std::string& tensors) {
    return parsed("axis n = 8\n" + tensors + "\nlaunch k<<<1, 1>>>(x, y)").declaration.precision;
  };
  EXPECT_EQ(precision("input x : u8[n]\noutput y : f16[n]"), Precision::kF16);
  EXPECT_EQ(precision("input x : f32[n]\noutput y : bf16[n]"), Precision::kBf16);
  EXPECT_EQ(precision("input x : f64[n]\noutput y : f64[n]"), Precision::kF64);
  EXPECT_EQ(precision("input x : i32[n]\noutput y : i32[n]"), Precision::kF32);
}

Bindings derived_check(const std::string& axes, const std::string& shape) {
  const ParsedPlan plan = parsed("axis " + axes + "\ninput x : f32" + shape + "\noutput y : f32" +
                                 shape + "\nlaunch k<<<1, 1>>>(x, y)");
  EXPECT_EQ(plan.workloads.size(), 2u);
  EXPECT_EQ(plan.workloads.back().role, WorkloadRole::kCheck);
  return plan.workloads.back().axes;
}

TEST(PlanParser, DerivesACheckWorkloadOfAtMostOneMebibyte) {
  EXPECT_EQ(derived_check("rows = 4096, cols = 4096", "[rows, cols]"),
            (Bindings{{"rows", 256}, {"cols", 512}}));
  EXPECT_EQ(derived_check("n = 1000", "[n]"), (Bindings{{"n", 1000}}));
  // An odd axis is never halved, and none goes below 64.
  EXPECT_EQ(derived_check("rows = 4095, cols = 4096", "[rows, cols]"),
            (Bindings{{"rows", 4095}, {"cols", 64}}));
  // Axes that are computed from others follow.
  EXPECT_EQ(derived_check("n = 1048576, half = n / 2", "[n]"),
            (Bindings{{"n", 131072}, {"half", 65536}}));
}

TEST(PlanParser, NamesACheckThatEqualsATimedWorkloadApart) {
  const ParsedPlan plan =
      parsed("axis n = 100\ninput x : f32[n]\noutput y : f32[n]\nlaunch k<<<1, 1>>>(x, y)");
  EXPECT_EQ(plan.workloads[0].name, "n=100");
  EXPECT_EQ(plan.workloads[1].name, "check:n=100");
}

}  // namespace
}  // namespace kp::task
