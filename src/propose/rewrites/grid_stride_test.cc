// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string refusal_of(const std::string& body) {
  return FakeSubject(elementwise_source(body)).refusal(*make_grid_stride());
}

const std::string kIndex = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

TEST(GridStride, turns_the_check_into_a_loop) {
  const auto versions =
      FakeSubject(elementwise_source(kIndex + "  if (i < count) {\n    out[i] = 2 * in[i];\n  }\n"))
          .versions(*make_grid_stride());
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_TRUE(contains(versions[0].source,
                       "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; "
                       "i += blockDim.x * gridDim.x) {"))
      << versions[0].source;
  EXPECT_TRUE(contains(versions[0].source, "<<<ceil_div(count, 256 * ITEMS), 256>>>"));
  EXPECT_TRUE(contains(versions[1].source, "<<<min(ceil_div(count, 256), BLOCKS), 256>>>"));
}

TEST(GridStride, takes_a_guard_that_returns) {
  const auto versions =
      FakeSubject(elementwise_source(kIndex + "  if (i >= count) return;\n  float v = in[i];\n"
                                              "  out[i] = v * v;\n"))
          .versions(*make_grid_stride());
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_FALSE(contains(versions[0].source, "return;"));
}

TEST(GridStride, sums_more_elements_before_a_tree) {
  const std::string tree =
      "  __syncthreads();\n  for (int s = 128; s > 0; s /= 2) {\n"
      "    if (threadIdx.x < s) slot[threadIdx.x] += slot[threadIdx.x + s];\n"
      "    __syncthreads();\n  }\n  if (threadIdx.x == 0) atomicAdd(out, slot[0]);\n";
  const std::string load = "  __shared__ float slot[256];\n" + kIndex +
                           "  slot[threadIdx.x] = i < count ? in[i] : 0.0f;\n";
  const FakeSubject subject(elementwise_source(load + tree));
  const auto versions = subject.versions(*make_grid_stride());
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_TRUE(contains(versions[0].source, "slot_sum += in[i];")) << versions[0].source;
  EXPECT_TRUE(contains(versions[0].source, "<<<min(")) << "the limited grid comes first";
  const auto shuffled = subject.versions(*make_warp_shuffle());
  ASSERT_EQ(shuffled.size(), 1u);
  const auto both = FakeSubject(shuffled[0].source).versions(*make_grid_stride());
  ASSERT_EQ(both.size(), 2u);
  EXPECT_TRUE(contains(both[0].source, "slot_value += in[i];")) << both[0].source;
}

TEST(GridStride, refuses_work_that_passes_something_on) {
  const std::string shared = "  __shared__ float slot[256];\n";
  for (const std::string& body : std::vector<std::string>{
           shared + kIndex +
               "  if (i < count) slot[threadIdx.x] = in[i];\n  __syncthreads();\n"
               "  out[i] = slot[255 - threadIdx.x];\n",
           kIndex + "  float v = 0;\n  if (i < count) v = in[i];\n  out[0] = v;\n",
           kIndex + "  float v = 1;\n  if (i < count) { v += in[i]; out[i] = v; }\n",
           kIndex + "  if (i < count) out[i] = __shfl_down_sync(~0u, in[i], 1);\n"}) {
    EXPECT_NE(refusal_of(body), "") << body;
  }
}

TEST(GridStride, refuses_other_uses_of_block_and_index) {
  EXPECT_EQ(refusal_of(kIndex + "  if (i < count) out[i] = in[i];\n"), "");
  for (const std::string& body : std::vector<std::string>{
           kIndex + "  if (i < count) out[i] = in[blockIdx.x];\n",
           kIndex + "  if (i < count) out[i] = in[i];\n  if (i == 0) out[0] = 1;\n",
           kIndex + "  if (i < count) { if (in[i] > 0) return; out[i] = in[i]; }\n",
           kIndex + "  if (i != count) out[i] = in[i];\n", "  out[threadIdx.x] = in[0];\n"}) {
    EXPECT_NE(refusal_of(body), "") << body;
  }
}

TEST(GridStride, refuses_a_first_load_that_is_no_sum) {
  EXPECT_NE(refusal_of("  __shared__ float slot[256];\n" + kIndex +
                       "  slot[threadIdx.x] = i < count ? in[i] : 1.0f;\n  __syncthreads();\n"
                       "  for (int s = 128; s > 0; s /= 2) {\n"
                       "    if (threadIdx.x < s) slot[threadIdx.x] += slot[threadIdx.x + s];\n"
                       "    __syncthreads();\n  }\n  if (threadIdx.x == 0) out[0] = slot[0];\n"),
            "");
  EXPECT_NE(refusal_of(kIndex + "  float v = i < count ? in[i] : 0.0f;\n  out[0] = v;\n"), "");
}

}  // namespace
}  // namespace kp::propose
