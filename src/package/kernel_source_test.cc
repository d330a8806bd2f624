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
            "namespace op_best {\n"
            "extern \"C\" __global__ void op_best_sum(float* sum_of) { float sum = 1; }\n"
            "}  // namespace op_best\n");
}

TEST(KernelSource, puts_tune_parameters_first_and_names_every_macro) {
  const auto source = kernel_source(swish().optimized, "p");
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_TRUE(source->text.starts_with("#define BLOCK 128\nnamespace p {\n/* kernelpro"));
  EXPECT_EQ(source->macros, (std::vector<std::string>{"BLOCK", "n", "ceil_div"}));
}

TEST(KernelSource, leaves_headers_outside_of_its_namespace) {
  Candidate candidate;
  candidate.source =
      "#include <a.h>\n#if X\n#include <b.h>\n#endif\n#if Y\n#define Z 1\n#endif\nint f();";
  const auto source = kernel_source(candidate, "p");
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ(source->text,
            "#include <a.h>\n#if X\n#include <b.h>\n#endif\nnamespace p {\n#if Y\n#define Z 1\n"
            "#endif\nint f();\n}  // namespace p\n");
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
