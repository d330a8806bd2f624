// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

const char* kIndex = "  int at = blockIdx.x * blockDim.x + threadIdx.x;\n";

TEST(FloatLiterals, gives_literals_and_functions_their_float_form) {
  const FakeSubject subject(elementwise_source(
      std::string(kIndex) + "  if (at < count) out[at] = 0.5 * exp(in[at]) + 1e-3 + 2. + 3;\n"));
  const auto versions = subject.versions(*make_float_literals());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_TRUE(contains(versions[0].source, "0.5f * expf(in[at]) + 1e-3f + 2.f + 3;"));
}

TEST(FloatLiterals, leaves_float_and_hexadecimal_literals_alone) {
  const FakeSubject subject(elementwise_source(
      std::string(kIndex) + "  if (at < count) out[at] = 0.5f * (0x1e & at);\n"));
  EXPECT_FALSE(subject.refusal(*make_float_literals()).empty());
}

TEST(FloatLiterals, believes_an_author_who_writes_double) {
  const FakeSubject subject(elementwise_source(
      std::string(kIndex) +
      "  double sum = 0.5;\n  if (at < count) out[at] = (float)(sum * in[at]);\n"));
  EXPECT_TRUE(contains(subject.refusal(*make_float_literals()), "double"));
}

TEST(FloatLiterals, leaves_tasks_with_double_tensors_alone) {
  std::string source =
      elementwise_source(std::string(kIndex) + "  if (at < count) out[at] = 0.5 * in[at];\n",
                         "const double* in, float* out, int count");
  source.replace(source.find("input  in : f32"), 15, "input  in : f64");
  EXPECT_TRUE(contains(FakeSubject(source).refusal(*make_float_literals()), "f64"));
}

}  // namespace
}  // namespace kp::propose
