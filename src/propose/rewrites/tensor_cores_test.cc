// SPDX-License-Identifier: Apache-2.0
#include "propose/contraction_source.h"
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string with_operands(const std::string& a, const std::string& b,
                          const std::string& type = "f16", const std::string& element = "__half") {
  return contraction_source(
      "\n  int i = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  int j = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < m && j < n) {\n    float sum = 0.0f;\n"
      "    for (int t = 0; t < k; ++t) sum += " +
          a + " * " + b + ";\n    c[i * n + j] = sum;\n  }\n",
      type, element);
}

TEST(TensorCores, compute_tiles_of_a_product_of_halves) {
  const FakeSubject subject(
      with_operands("__half2float(a[i * k + t])", "__half2float(b[t * n + j])"));
  const auto versions = subject.versions(*make_tensor_cores());
  ASSERT_EQ(versions.size(), 2u);
  const std::string& source = versions[0].source;
  EXPECT_TRUE(contains(source, "#include <mma.h>")) << source;
  EXPECT_TRUE(contains(source, "matrix_a, 16, 16, 16, __half, wmma::row_major")) << source;
  EXPECT_TRUE(contains(source, "matrix_b, 16, 16, 16, __half, wmma::row_major")) << source;
}

TEST(TensorCores, take_transposed_operands_as_they_lie_in_memory) {
  const FakeSubject subject(with_operands("static_cast<float>(a[t * m + i])",
                                          "__bfloat162float(b[j * k + t])", "bf16",
                                          "__nv_bfloat16"));
  const auto versions = subject.versions(*make_tensor_cores());
  ASSERT_EQ(versions.size(), 2u);
  const std::string& source = versions[0].source;
  EXPECT_TRUE(contains(source, "matrix_a, 16, 16, 16, __nv_bfloat16, wmma::col_major")) << source;
  EXPECT_TRUE(contains(source, "matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major")) << source;
}

TEST(TensorCores, are_not_for_single_precision) {
  const FakeSubject subject(contraction_source(kPlainProduct));
  EXPECT_TRUE(contains(subject.refusal(*make_tensor_cores()), "class of arithmetic"));
}

TEST(TensorCores, refuse_operands_that_change_on_the_way) {
  const FakeSubject subject(
      with_operands("(0.5f * __half2float(a[i * k + t]))", "__half2float(b[t * n + j])"));
  EXPECT_TRUE(contains(subject.refusal(*make_tensor_cores()), "plain half-precision"));
}

TEST(TensorCores, refuse_what_is_no_contraction) {
  const FakeSubject subject(
      with_operands("__half2float(a[i * k + t])", "__half2float(b[t * n + i])"));
  EXPECT_TRUE(contains(subject.refusal(*make_tensor_cores()), "one output index"));
}

}  // namespace
}  // namespace kp::propose
