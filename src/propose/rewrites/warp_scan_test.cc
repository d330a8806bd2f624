// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string source_with(const std::string& step, const std::string& threads = "128") {
  return "/* kernelpro\n"
         "axis   count = 65536\n"
         "input  in : i32[count]\n"
         "output out : i32[count]\n"
         "launch prefix<<<ceil_div(count, 128), " +
         threads +
         ">>>(in, out, count)\n"
         "*/\n"
         "__device__ int sums_below(int value) {\n"
         "  __shared__ int sums[128];\n"
         "  sums[threadIdx.x] = value;\n"
         "  __syncthreads();\n"
         "  for (int reach = 1; reach < 128; reach <<= 1) {\n" +
         step +
         "    __syncthreads();\n  }\n"
         "  return threadIdx.x > 0 ? sums[threadIdx.x - 1] : 0;\n}\n"
         "extern \"C\" __global__ void prefix(const int* in, int* out, int count) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  int sum = sums_below(i < count ? in[i] : 0);\n"
         "  if (i < count) out[i] = sum;\n}\n";
}

const char* kStep =
    "    int other = 0;\n"
    "    if (threadIdx.x >= reach) { other = sums[threadIdx.x - reach]; }\n"
    "    __syncthreads();\n"
    "    sums[threadIdx.x] += other;\n";

TEST(WarpScan, scans_by_shuffles_in_a_device_function) {
  const auto versions = FakeSubject(source_with(kStep)).versions(*make_warp_scan());
  ASSERT_EQ(versions.size(), 1u);
  const std::string& text = versions[0].source;
  EXPECT_TRUE(contains(text,
                       "sums[threadIdx.x] = kp_block_scan_add(sums[threadIdx.x]);\n"
                       "  __syncthreads();"))
      << text;
  EXPECT_TRUE(contains(text, "__shfl_up_sync"));
  EXPECT_FALSE(contains(text, "reach <<= 1"));
}

TEST(WarpScan, knows_the_spellings_of_a_step) {
  const std::string t = "threadIdx.x", below = "sums[threadIdx.x - reach]";
  for (const std::string& step : std::vector<std::string>{
           "    const int v = " + t + " >= reach ? " + below +
               " : 0;\n    __syncthreads();\n    sums[" + t + "] += v;\n",
           "    int v = sums[" + t + "];\n    if (" + t + " >= reach) v += " + below +
               ";\n    __syncthreads();\n    sums[" + t + "] = v;\n",
           "    int v;\n    if (" + t + " >= reach) v = " + below +
               ";\n    __syncthreads();\n    if (" + t + " >= reach) sums[" + t + "] += v;\n"}) {
    EXPECT_EQ(FakeSubject(source_with(step)).versions(*make_warp_scan()).size(), 1u) << step;
  }
}

TEST(WarpScan, refuses_other_steps_and_other_blocks) {
  const auto refusal = [](const std::string& source) {
    return FakeSubject(source).refusal(*make_warp_scan());
  };
  EXPECT_EQ(refusal(source_with(kStep)), "");
  EXPECT_NE(refusal(source_with(kStep, "64")), "") << "the scan is longer than the block";
  EXPECT_NE(refusal(source_with(kStep, "(8, 16)")), "");
  EXPECT_NE(refusal(source_with("    int other = 1;\n"
                                "    if (threadIdx.x >= reach) other = sums[threadIdx.x - reach];\n"
                                "    __syncthreads();\n    sums[threadIdx.x] += other;\n")),
            "")
      << "starts from one";
  EXPECT_NE(refusal(source_with("    int other = 0;\n"
                                "    if (threadIdx.x > reach) other = sums[threadIdx.x - reach];\n"
                                "    __syncthreads();\n    sums[threadIdx.x] += other;\n")),
            "")
      << "leaves one thread out";
}

}  // namespace
}  // namespace kp::propose
