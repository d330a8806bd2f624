// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

const char* kBody =
    "  int at = blockIdx.x * blockDim.x + threadIdx.x;\n  if (at < count) out[at] = in[at];\n";

TEST(BlockSize, turns_the_size_into_a_tune_parameter) {
  const FakeSubject subject(elementwise_source(kBody));
  const auto versions = subject.versions(*make_block_size());
  ASSERT_EQ(versions.size(), 1u);
  const auto plan = task::parse_plan(versions[0].source, "version.cu");
  ASSERT_TRUE(plan) << plan.error().text();
  ASSERT_EQ(plan->plan.tunes.size(), 1u);
  EXPECT_EQ(plan->plan.tunes[0].name, "BLOCK_SIZE");
  const auto& launch = std::get<Launch>(plan->plan.steps.front());
  EXPECT_EQ(*launch.block.x.evaluate({{"BLOCK_SIZE", 64}}), 64);
  EXPECT_EQ(*launch.grid.x.evaluate({{"BLOCK_SIZE", 64}, {"count", 65536}}), 1024);
}

TEST(BlockSize, follows_a_define_of_the_same_value) {
  const FakeSubject subject("#define THREADS 256\n" +
                            elementwise_source("  __shared__ float line[THREADS];\n" +
                                               std::string(kBody) + "  line[threadIdx.x] = 0;\n"));
  const auto versions = subject.versions(*make_block_size());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_TRUE(contains(versions[0].source, "#define THREADS BLOCK_SIZE"));
}

TEST(BlockSize, refuses_when_the_kernel_repeats_the_number) {
  const FakeSubject subject(elementwise_source("  __shared__ float line[256];\n" +
                                               std::string(kBody) + "  line[threadIdx.x] = 0;\n"));
  EXPECT_FALSE(subject.refusal(*make_block_size()).empty());
}

TEST(BlockSize, refuses_blocks_of_two_dimensions) {
  std::string source = elementwise_source(kBody);
  const auto at = source.find(", 256>>>");
  source.replace(at, 8, ", (32, 8)>>>");
  EXPECT_FALSE(FakeSubject(source).refusal(*make_block_size()).empty());
}

}  // namespace
}  // namespace kp::propose
