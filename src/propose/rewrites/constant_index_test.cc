// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string source_with(const std::string& body) {
  std::string source = elementwise_source(
      "  int at = blockIdx.x * blockDim.x + threadIdx.x;\n  if (at >= count) return;\n" + body);
  return source.insert(source.find("extern"), "#define TAPS 5\n");
}

std::string refusal(const std::string& body) {
  return FakeSubject(source_with(body)).refusal(*make_constant_index());
}

TEST(ConstantIndex, unrolls_the_loops_that_index_an_array) {
  const FakeSubject subject(source_with(
      "  float best[TAPS];\n  for (int k = 0; k < TAPS; ++k) best[k] = in[(at + k) % count];\n"
      "  float sum = 0.0f;\n  for (int k = 1; k < TAPS; ++k) {\n    const int last = k - 1;\n"
      "    sum += best[last] * best[k];\n  }\n"
      "  for (int r = 0; r < count; ++r) sum += in[r];\n  out[at] = sum;\n"));
  const auto versions = subject.versions(*make_constant_index());
  ASSERT_EQ(versions.size(), 1u);
  const std::string& source = versions[0].source;
  EXPECT_TRUE(contains(source, "#pragma unroll\n  for (int k = 0; k < TAPS")) << source;
  EXPECT_TRUE(contains(source, "#pragma unroll\n  for (int k = 1; k < TAPS")) << source;
  EXPECT_FALSE(contains(source, "#pragma unroll\n  for (int r")) << source;
}

TEST(ConstantIndex, replaces_a_pragma_that_unrolls_in_part) {
  const FakeSubject subject(source_with(
      "  float v[4][2];\n#pragma unroll 1\n  for (int k = 0; k < 4; ++k) {\n"
      "#pragma unroll\n    for (int j = 0; j < 2; ++j) v[k][j] = in[(at + k) % count];\n  }\n"
      "  out[at] = v[0][1] + v[3][0];\n"));
  const auto versions = subject.versions(*make_constant_index());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_FALSE(contains(versions[0].source, "unroll 1")) << versions[0].source;
}

TEST(ConstantIndex, chooses_among_few_elements_or_moves_them_to_shared_memory) {
  const FakeSubject subject(
      source_with("  float v[3];\n  for (int k = 0; k < 3; ++k) v[k] = in[(at + k) % count];\n"
                  "  int which = (int)in[at] % 3;\n  v[which] += 1.0f;\n  out[at] = v[at % 3];\n"));
  const auto versions = subject.versions(*make_constant_index());
  ASSERT_EQ(versions.size(), 2u);
  const std::string& chosen = versions[1].source;
  EXPECT_TRUE(contains(chosen, "((at % 3) == 0 ? v[0] : (at % 3) == 1 ? v[1] : v[2])")) << chosen;
  EXPECT_TRUE(contains(chosen, "if (slot == (which)) v[slot] += put;")) << chosen;
  EXPECT_TRUE(contains(chosen, "#pragma unroll\n  for (int k")) << chosen;
  const std::string& shared = versions[0].source;
  EXPECT_TRUE(contains(shared, "__shared__ float v[3][256];")) << shared;
  EXPECT_TRUE(contains(shared, "v[which][threadIdx.x] += 1.0f;")) << shared;
}

TEST(ConstantIndex, moves_larger_arrays_to_shared_memory_only) {
  const FakeSubject subject(
      source_with("  float v[12];\n  for (int k = 0; k < 12; ++k) v[k] = in[(at + k) % count];\n"
                  "  out[at] = v[at % 12];\n"));
  const auto versions = subject.versions(*make_constant_index());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_TRUE(contains(versions[0].source, "v[at % 12][threadIdx.x]"));
}

TEST(ConstantIndex, leaves_alone_what_is_constant_or_cannot_be) {
  for (const std::string body :
       {"  float v[2]; v[0] = in[at]; v[1] = 1.0f; out[at] = v[0] + v[1];\n",
        "  float v[4];\n  for (int k = 0; k < 4; ++k) v[k] = in[at];\n  float* p = v;\n"
        "  out[at] = p[at % 4];\n",
        "  float v[100];\n  for (int k = 0; k < 100; ++k) v[k] = in[at];\n  out[at] = v[at % "
        "100];\n",
        "  float v[4];\n#pragma unroll\n  for (int k = 0; k < 4; ++k) v[k] = in[at];\n"
        "  out[at] = v[0];\n",
        "  __shared__ float v[4];\n  for (int k = 0; k < 4; ++k) v[k] = 1.0f;\n"
        "  out[at] = v[at % 4];\n"}) {
    EXPECT_FALSE(refusal(body).empty()) << body;
  }
}

TEST(ConstantIndex, does_not_repeat_side_effects_of_a_subscript) {
  EXPECT_FALSE(
      refusal("  float v[2] = {1.0f, 2.0f};\n  int k = at;\n  out[at] = v[k++ % 2];\n").empty());
}

TEST(ConstantIndex, composes_with_read_only_loads) {
  const FakeSubject subject(source_with(
      "  float v[4];\n  for (int k = 0; k < 4; ++k) v[k] = in[at];\n  out[at] = v[1];\n"));
  const auto once = subject.versions(*make_constant_index());
  ASSERT_EQ(once.size(), 1u);
  EXPECT_EQ(FakeSubject(once[0].source).versions(*make_read_only_loads()).size(), 1u);
}

}  // namespace
}  // namespace kp::propose
