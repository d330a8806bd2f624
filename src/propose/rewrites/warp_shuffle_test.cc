// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

/// `reduce` sums blocks of `threads` threads; `tree` combines `slot`.
std::string source_with(const std::string& tree, const std::string& more = "",
                        const std::string& threads = "256") {
  return "/* kernelpro\n"
         "axis   count = 65536\n"
         "input  in : f32[count]\n"
         "output out : f32[ceil_div(count, 256)]\n"
         "launch reduce<<<ceil_div(count, 256), " +
         threads +
         ">>>(in, out, count)\n"
         "*/\n"
         "#define SIZE 256\n"
         "extern \"C\" __global__ void reduce(const float* in, float* out, int count) {\n"
         "  __shared__ float slot[SIZE];\n"
         "  const unsigned int me = threadIdx.x;\n"
         "  int i = blockIdx.x * SIZE + me;\n"
         "  slot[me] = i < count ? in[i] : 0.0f;\n"
         "  __syncthreads();\n" +
         tree + more + "  if (me == 0) out[blockIdx.x] = slot[0];\n}\n";
}

const char* kHalving =
    "  for (unsigned int gap = blockDim.x / 2; gap > 0; gap >>= 1) {\n"
    "    if (me < gap) {\n      slot[me] += slot[me + gap];\n    }\n"
    "    __syncthreads();\n  }\n";

std::string refusal_of(const std::string& source) {
  return FakeSubject(source).refusal(*make_warp_shuffle());
}

TEST(WarpShuffle, keeps_values_in_registers_and_drops_array_and_barriers) {
  const auto versions = FakeSubject(source_with(kHalving)).versions(*make_warp_shuffle());
  ASSERT_EQ(versions.size(), 1u);
  const std::string& text = versions[0].source;
  EXPECT_TRUE(contains(text, "float slot_value;")) << text;
  EXPECT_TRUE(contains(text, "slot_value = kp_block_add(slot_value);"));
  EXPECT_TRUE(contains(text, "if (me == 0) out[blockIdx.x] = slot_value;"));
  const std::string kernel = text.substr(text.find("__global__"));
  EXPECT_FALSE(contains(kernel, "__syncthreads"));
  EXPECT_FALSE(contains(kernel, "__shared__"));
}

TEST(WarpShuffle, knows_the_spellings_of_a_tree) {
  const std::string sync = "    __syncthreads();\n  }\n";
  std::string unrolled;
  for (int gap = 128; gap > 0; gap /= 2) {
    const std::string k = std::to_string(gap);
    unrolled += "  if (me < " + k + ") slot[me] = fmaxf(slot[me], slot[me + " + k +
                "]);\n  __syncthreads();\n";
  }
  for (const std::string& tree : std::vector<std::string>{
           unrolled,
           "  for (int s = SIZE / 2; s >= 1; s = s / 2) {\n"
           "    if (threadIdx.x < s) slot[threadIdx.x] = max(slot[threadIdx.x], "
           "slot[threadIdx.x + s]);\n" +
               sync,
           "  for (int s = 128; s > 0; s /= 2) {\n"
           "    if (me < s) slot[me] = slot[me + s] + slot[me];\n" +
               sync,
           "  for (int s = 1; s < SIZE; s *= 2) {\n"
           "    if (me % (2 * s) == 0) slot[me] += slot[me + s];\n" +
               sync,
           "  for (int s = 1; s < blockDim.x; s *= 2) {\n"
           "    int at = 2 * s * me;\n    if (at < blockDim.x) slot[at] += slot[at + s];\n" +
               sync}) {
    EXPECT_EQ(FakeSubject(source_with(tree)).versions(*make_warp_shuffle()).size(), 1u) << tree;
  }
}

TEST(WarpShuffle, serves_two_trees_over_one_array) {
  const std::string again =
      "  float first = slot[0];\n  __syncthreads();\n"
      "  slot[me] = in[me] - first;\n  __syncthreads();\n";
  const auto versions =
      FakeSubject(source_with(kHalving, again + kHalving)).versions(*make_warp_shuffle());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_TRUE(contains(versions[0].source, "float first = slot_value;"));
}

TEST(WarpShuffle, keeps_the_barriers_of_other_shared_arrays) {
  const std::string other =
      "  __shared__ float next[SIZE];\n  next[me] = in[me];\n"
      "  __syncthreads();\n  out[blockIdx.x] = next[255 - me];\n";
  const auto versions = FakeSubject(source_with(kHalving, other)).versions(*make_warp_shuffle());
  ASSERT_EQ(versions.size(), 1u);
  const std::string kernel = versions[0].source.substr(versions[0].source.find("__global__"));
  EXPECT_TRUE(contains(kernel, "__syncthreads"));
}

TEST(WarpShuffle, refuses_arrays_that_are_read_otherwise) {
  for (const std::string more : {"  out[blockIdx.x] = slot[me];\n",        // a partial sum
                                 "  out[blockIdx.x] = slot[1];\n",         // another element
                                 "  float* all = slot;\n  all[3] = 1;\n",  // as a whole
                                 "  slot[0] = 2.0f;\n",      // the result is overwritten
                                 "  slot[me] = 3.0f;\n"}) {  // element 0 is a value, no result
    EXPECT_NE(refusal_of(source_with(kHalving, more)), "") << more;
  }
  EXPECT_NE(refusal_of(source_with("  if (count > 5) {\n" + std::string(kHalving) + "  }\n")), "");
}

TEST(WarpShuffle, refuses_trees_over_a_part_and_threads_that_left) {
  EXPECT_NE(refusal_of(source_with("  for (int s = 64; s > 0; s /= 2) {\n"
                                   "    if (me < s) slot[me] += slot[me + s];\n"
                                   "    __syncthreads();\n  }\n")),
            "");
  EXPECT_NE(refusal_of(source_with(kHalving, "", "(16, 16)")), "");
  EXPECT_NE(refusal_of(source_with("  if (i > count) return;\n" + std::string(kHalving))), "");
  EXPECT_EQ(refusal_of(source_with("  if (blockIdx.x > count) return;\n" + std::string(kHalving))),
            "");
}

}  // namespace
}  // namespace kp::propose
