// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string source_with(const std::string& statement) {
  return elementwise_source(
      "  int at = blockIdx.x * blockDim.x + threadIdx.x;\n  if (at < count) " + statement + "\n");
}

TEST(FastMath, replaces_functions_and_float_divisions) {
  const FakeSubject subject(source_with("out[at] = in[at] / (1.0f + expf(-in[at]));"));
  const auto versions = subject.versions(*make_fast_math());
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_TRUE(contains(versions[0].source, "__fdividef(in[at], (1.0f + __expf(-in[at])))"));
  EXPECT_TRUE(contains(versions[1].source, "in[at] / (1.0f + __expf(-in[at]))"));
}

TEST(FastMath, nests_divisions) {
  const FakeSubject subject(source_with("out[at] = in[at] / 3.0f / (in[at] / 7.0f);"));
  const auto versions = subject.versions(*make_fast_math());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_TRUE(contains(versions[0].source,
                       "__fdividef(__fdividef(in[at], 3.0f), (__fdividef(in[at], 7.0f)))"))
      << versions[0].source;
}

TEST(FastMath, leaves_integer_and_double_divisions_alone) {
  EXPECT_FALSE(FakeSubject(source_with("out[at] = (float)((at + 3) / 2);"))
                   .refusal(*make_fast_math())
                   .empty());
  EXPECT_FALSE(FakeSubject(source_with("out[at] = (float)(in[at] / 2.0);"))
                   .refusal(*make_fast_math())
                   .empty());
}

TEST(FastMath, refuses_the_class_f64) {
  std::string source = source_with("out[at] = expf(in[at]);");
  source.insert(source.find("launch"), "precision f64\n");
  EXPECT_TRUE(contains(FakeSubject(source).refusal(*make_fast_math()), "f64"));
}

}  // namespace
}  // namespace kp::propose
