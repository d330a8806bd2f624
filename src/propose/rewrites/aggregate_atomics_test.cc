// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string source_with(const std::string& body, const std::string& launch = "256") {
  return "/* kernelpro\n"
         "axis   count = 65536\n"
         "input  in : f32[count]\n"
         "output total : f32[8]\n"
         "output bins : u32[65536]\n"
         "launch add<<<ceil_div(count, 256), " +
         launch +
         ">>>(in, total, bins, count)\n"
         "*/\n"
         "extern \"C\" __global__ void add(const float* in, float* total, unsigned int* bins,\n"
         "                               int count) {\n"
         "  int at = blockIdx.x * blockDim.x + threadIdx.x;\n" +
         body + "}\n";
}

std::string refusal_of(const std::string& body, const std::string& launch = "256") {
  return FakeSubject(source_with(body, launch)).refusal(*make_aggregate_atomics());
}

TEST(AggregateAtomics, does_one_for_each_block_or_warp) {
  const auto versions =
      FakeSubject(source_with("  if (at >= count) return;\n  float v = in[at] * in[at];\n"
                              "  if (v > 0.5f) atomicAdd(&total[blockIdx.x % 8], v);\n"))
          .versions(*make_aggregate_atomics());
  ASSERT_EQ(versions.size(), 2u);
  const std::string& block = versions[0].source;
  EXPECT_TRUE(contains(block, "if (at < count) {")) << block;
  EXPECT_TRUE(contains(block, "if (v > 0.5f) kp_total += v;"));
  EXPECT_TRUE(contains(block,
                       "kp_total = kp_block_add(kp_total);\n"
                       "  if (threadIdx.x == 0) atomicAdd(&total[blockIdx.x % 8], kp_total);"));
  EXPECT_TRUE(contains(versions[1].source, "if (threadIdx.x % 32 == 0) atomicAdd("));
}

TEST(AggregateAtomics, adds_up_what_a_thread_does_in_a_loop) {
  const auto versions =
      FakeSubject(source_with("  for (; at < count; at += blockDim.x * gridDim.x) {\n"
                              "    atomicMax(bins + 3, (int)in[at]);\n"
                              "    atomicAdd(total, in[at]);\n  }\n"))
          .versions(*make_aggregate_atomics());
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_TRUE(contains(versions[0].source,
                       "kp_bins = max(kp_bins, static_cast<unsigned int>((int)in[at]));"))
      << versions[0].source;
  EXPECT_TRUE(contains(versions[1].source, "__reduce_max_sync"));
}

TEST(AggregateAtomics, lanes_that_count_alike_do_it_once) {
  const auto versions =
      FakeSubject(source_with("  if (at < count) atomicAdd(&bins[(int)in[at] & 65535], 1u);\n"))
          .versions(*make_aggregate_atomics());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_TRUE(contains(versions[0].source, "kp_matched_add(&bins[(int)in[at] & 65535], 1u);"));
  EXPECT_TRUE(contains(versions[0].source, "__match_any_sync"));
}

TEST(AggregateAtomics, grid_stride_goes_on_from_there) {
  const FakeSubject first(source_with("  if (at < count) atomicAdd(total, in[at]);\n"));
  const auto versions = first.versions(*make_aggregate_atomics());
  ASSERT_EQ(versions.size(), 2u);
  const auto more = FakeSubject(versions[0].source).versions(*make_grid_stride());
  ASSERT_EQ(more.size(), 2u);
  EXPECT_TRUE(contains(more[0].source, "at += blockDim.x * gridDim.x) kp_total += in[at];"))
      << more[0].source;
}

TEST(AggregateAtomics, leaves_fewer_blocks_where_each_adds_once) {
  const auto versions =
      FakeSubject(source_with("  float sum = 0.0f;\n  if (at < count) sum += in[at];\n"
                              "  sum = __reduce_add_sync(~0u, (int)sum);\n"
                              "  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);\n"))
          .versions(*make_aggregate_atomics());
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_TRUE(contains(versions[0].source, "<<<min(ceil_div(count, 256), BLOCKS), 256>>>"));
}

TEST(AggregateAtomics, refuses_addresses_that_are_used_otherwise) {
  const std::string add = "  atomicAdd(total, 1.0f);\n";
  EXPECT_EQ(refusal_of(add), "");
  EXPECT_NE(refusal_of(add + "  if (at < count && total[0] > 5) bins[at] = 1;\n"), "") << "read";
  EXPECT_NE(refusal_of("  float old = atomicAdd(total, 1.0f);\n  bins[at] = old;\n"), "");
  EXPECT_NE(refusal_of("  atomicAdd(&total[threadIdx.x % 8], 1.0f);\n"), "") << "differs";
  EXPECT_NE(refusal_of("  atomicAdd(total, 1.0f); atomicAdd(total + 1, 1.0f);\n"), "") << "two";
}

TEST(AggregateAtomics, refuses_picked_threads_signals_and_other_blocks) {
  EXPECT_NE(refusal_of("  if (threadIdx.x == 0) atomicAdd(total, in[at]);\n"), "");
  EXPECT_NE(refusal_of("  atomicAdd(total, in[0]);\n  __threadfence();\n  bins[0] = 1;\n"), "");
  EXPECT_NE(refusal_of("  atomicAdd(total, in[0]);\n", "(16, 16)"), "");
  EXPECT_NE(refusal_of("  atomicAdd(total, in[0]);\n", "100"), "") << "no whole warps";
  EXPECT_NE(refusal_of("  for (int k = 0; k < 3; ++k) { if (k > at) return; }\n"
                       "  atomicAdd(total, 1.0f);\n"),
            "")
      << "leaves from a loop";
}

}  // namespace
}  // namespace kp::propose
