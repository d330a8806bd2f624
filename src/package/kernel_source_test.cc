// SPDX-License-Identifier: Apache-2.0
#include "package/kernel_source.h"

#include "package/fixture.h"

namespace kp::package {
namespace {

TEST(KernelSource, renames_kernels_and_nothing_else) {
  Candidate candidate;
  candidate.source = "extern \"C\" __global__ void sum(float* sum_of) { float sum = 1; }\n";
  candidate.file = "k.cu";
  Launch launch;
  launch.kernel = "sum";
  candidate.plan.steps.emplace_back(launch);
  const auto source = kernel_source(candidate, "op_best");
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ(source->text,
            "extern \"C\" __global__ void op_best_sum(float* sum_of) { float sum = 1; }\n");
}

TEST(KernelSource, puts_tune_parameters_first_and_names_every_macro) {
  const auto source = kernel_source(swish().optimized, "p");
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_TRUE(source->text.starts_with("#define BLOCK 128\n/* kernelpro"));
  EXPECT_EQ(source->macros, (std::vector<std::string>{"BLOCK", "n", "ceil_div"}));
}

TEST(KernelSource, says_when_a_macro_makes_the_kernel) {
  Candidate candidate;
  candidate.source =
      "#define KERNEL(name) extern \"C\" __global__ void name\nKERNEL(sum)(float* x) {}\n";
  candidate.file = "k.cu";
  Launch launch;
  launch.kernel = "sum";
  candidate.plan.steps.emplace_back(launch);
  const auto source = kernel_source(candidate, "p");
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().message.find("kernel `sum` of k.cu"), std::string::npos);
}

}  // namespace
}  // namespace kp::package
