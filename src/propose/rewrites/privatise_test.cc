// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string source_with(const std::string& body, const std::string& bins = "64",
                        const std::string& axes = "count = 65536") {
  return "/* kernelpro\n"
         "axis   " +
         axes +
         "\n"
         "input  in : i32[count] ~ int(0, 63)\n"
         "output bins : f32[" +
         bins +
         "]\n"
         "output last : i32[1]\n"
         "launch count_up<<<ceil_div(count, 128), 128>>>(in, bins, last, count)\n"
         "*/\n"
         "extern \"C\" __global__ void count_up(const int* in, float* bins, int* last, int count) "
         "{\n"
         "  const int at = blockIdx.x * blockDim.x + threadIdx.x;\n" +
         body + "}\n";
}

std::string refusal_of(const std::string& source) {
  return FakeSubject(source).refusal(*make_privatise());
}

const char* kCount =
    "  if (at >= count) return;\n  int k = in[at];\n  atomicAdd(&bins[k], 0.5f);\n";

TEST(Privatise, counts_in_a_copy_for_each_block_or_warp) {
  const auto versions = FakeSubject(source_with(kCount)).versions(*make_privatise());
  ASSERT_EQ(versions.size(), 2u);
  const std::string& one = versions[0].source;
  EXPECT_TRUE(contains(one, "__shared__ float bins_copy[64];")) << one;
  EXPECT_TRUE(contains(one, "atomicAdd(&bins_copy[k], 0.5f);"));
  EXPECT_TRUE(contains(one, "atomicAdd(&bins[kp_bin], bins_copy[kp_bin]);"));
  EXPECT_TRUE(contains(one, "at < count; at += blockDim.x * gridDim.x)"));
  EXPECT_TRUE(contains(one, "<<<min(ceil_div(count, 128), BLOCKS), 128>>>"));
  EXPECT_TRUE(contains(versions[1].source, "__shared__ float bins_copy[4][64];"));
  EXPECT_TRUE(contains(versions[1].source, "atomicAdd(&bins_copy[threadIdx.x / 32][k], 0.5f);"));
}

TEST(Privatise, keeps_the_grid_where_the_block_index_is_used) {
  const auto versions =
      FakeSubject(source_with("  if (at < count) atomicAdd(bins + in[at], 1.0f);\n"
                              "  if (threadIdx.x == 0 && blockIdx.x == 0) last[0] = count;\n"))
          .versions(*make_privatise());
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_TRUE(contains(versions[0].source, "<<<ceil_div(count, 128), 128>>>"));
}

TEST(Privatise, lanes_that_agree_may_still_be_matched_before) {
  const auto versions = FakeSubject(source_with(kCount)).versions(*make_privatise());
  ASSERT_FALSE(versions.empty());
  EXPECT_NE(refusal_of(versions[0].source), "") << "a copy needs no copy";
}

TEST(Privatise, refuses_arrays_that_are_too_large_or_of_unknown_extent) {
  EXPECT_EQ(refusal_of(source_with(kCount)), "");
  EXPECT_NE(refusal_of(source_with(kCount, "20000")), "");
  EXPECT_NE(refusal_of(source_with(kCount, "m", "count = 65536, m = 64\ntime m = 128")), "");
}

TEST(Privatise, refuses_other_uses_and_operations) {
  const std::string tail = "  atomicAdd(&bins[in[at]], 1.0f);\n";
  EXPECT_NE(refusal_of(source_with(tail + "  if (at == 0) bins[0] = 1.0f;\n")), "");
  EXPECT_NE(
      refusal_of(source_with("  float old = atomicAdd(&bins[in[at]], 1.0f); last[0] = old;\n")),
      "");
  EXPECT_NE(refusal_of(source_with("  atomicMax(&last[in[at]], 1);\n")), "");
  EXPECT_NE(refusal_of(source_with("  atomicAdd(&bins[3], 1.0f);\n")), "") << "one address";
  EXPECT_NE(refusal_of(source_with(tail + "  __threadfence();\n")), "");
}

}  // namespace
}  // namespace kp::propose
