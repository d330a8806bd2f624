// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string source_with(const std::string& table, const std::string& body,
                        const std::string& more = "") {
  std::string source = elementwise_source(
      "  int at = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (at >= count) return;\n" +
          body,
      "const float* in, float* out, int count" + more);
  return source.insert(source.find("extern"), table + "\n");
}

/// With a third tensor `curve` of 256 elements.
std::string curve_source(const std::string& body, const std::string& extent = "256") {
  std::string source = source_with("", body, ", const float* curve");
  source.insert(source.find("output"), "weight curve : f32[" + extent + "]\n");
  return source.replace(source.find("(in, out, count)"), 16, "(in, out, count, curve)");
}

std::string refusal(const std::string& source) {
  return FakeSubject(source).refusal(*make_table_to_shared());
}

TEST(TableToShared, copies_a_constant_table_before_anybody_returns) {
  const FakeSubject subject(source_with("__constant__ float steps[4] = {1, 2, 3, 4};",
                                        "  out[at] = steps[(int)in[at] & 3] * steps[0];\n"));
  const auto versions = subject.versions(*make_table_to_shared());
  ASSERT_EQ(versions.size(), 1u);
  const std::string& source = versions[0].source;
  EXPECT_TRUE(contains(source, "__shared__ float steps_shared[4];")) << source;
  EXPECT_TRUE(contains(source, "for (int slot = threadIdx.x; slot < 4; slot += blockDim.x)"));
  EXPECT_TRUE(contains(source, "out[at] = steps_shared[(int)in[at] & 3] * steps[0];")) << source;
  EXPECT_LT(source.find("__syncthreads();"), source.find("return;"));
}

TEST(TableToShared, follows_what_lanes_loaded_or_are) {
  for (const std::string body :
       {"  int k = (int)in[at];\n  k &= 3;\n  out[at] = steps[k];\n",
        "  const int lane = threadIdx.x % 4;\n  out[at] = steps[lane];\n",
        "  int k = at % 4;\n  for (int r = 0; r < 2; ++r) out[at] = steps[(k + r) % 4];\n"}) {
    EXPECT_TRUE(
        refusal(source_with("__device__ const float steps[] = {1, 2, 3, 4};", body)).empty())
        << body;
  }
}

TEST(TableToShared, copies_tables_of_two_dimensions) {
  const FakeSubject subject(source_with("#define ROWS 3\n__constant__ int grid[ROWS][8];",
                                        "  out[at] = grid[1][(int)in[at] & 7];\n"));
  const auto versions = subject.versions(*make_table_to_shared());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_TRUE(contains(versions[0].source, "__shared__ int grid_shared[ROWS][8];"));
  EXPECT_TRUE(contains(versions[0].source, "(&grid_shared[0][0])[slot] = (&grid[0][0])[slot];"))
      << versions[0].source;
}

TEST(TableToShared, copies_a_small_array_of_the_plan_that_data_index) {
  const FakeSubject subject(curve_source("  out[at] = curve[(int)in[at] & 255];\n"));
  const auto versions = subject.versions(*make_table_to_shared());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_TRUE(contains(versions[0].source, "curve_shared[(int)in[at] & 255]"))
      << versions[0].source;
}

TEST(TableToShared, leaves_arrays_alone_that_lanes_read_in_order_or_that_are_large) {
  EXPECT_FALSE(refusal(curve_source("  out[at] = curve[threadIdx.x];\n")).empty());
  EXPECT_FALSE(refusal(curve_source("  out[at] = curve[(int)in[at] & 255];\n", "count")).empty());
  EXPECT_FALSE(refusal(curve_source("  out[at] = curve[(int)in[at] & 255];\n", "8192")).empty());
}

TEST(TableToShared, leaves_tables_alone_that_lanes_read_together_or_whose_address_is_taken) {
  const std::string table = "__constant__ float steps[4] = {1, 2, 3, 4};";
  for (const std::string body :
       {"  out[at] = in[at] * steps[2];\n",
        "  float s = 0;\n  for (int k = 0; k < 4; ++k) s += steps[k];\n  out[at] = s * in[at];\n",
        "  out[at] = steps[blockIdx.x % 4];\n",
        "  const float* p = steps;\n  out[at] = p[(int)in[at] & 3] + steps[(int)in[at] & 1];\n"}) {
    EXPECT_FALSE(refusal(source_with(table, body)).empty()) << body;
  }
  EXPECT_FALSE(
      refusal(source_with("__device__ float steps[4];", "  out[at] = steps[(int)in[at] & 3];\n"))
          .empty());
}

TEST(TableToShared, has_nothing_left_to_copy) {
  const auto once = FakeSubject(source_with("__constant__ float steps[4] = {1, 2, 3, 4};",
                                            "  out[at] = steps[(int)in[at] & 3];\n"))
                        .versions(*make_table_to_shared());
  ASSERT_EQ(once.size(), 1u);
  EXPECT_FALSE(refusal(once[0].source).empty());
  EXPECT_EQ(FakeSubject(once[0].source).versions(*make_read_only_loads()).size(), 1u);
}

}  // namespace
}  // namespace kp::propose
