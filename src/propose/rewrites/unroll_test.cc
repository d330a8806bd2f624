// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

/// A kernel with a thread for each row of 64.
std::string rows_source(const std::string& body) {
  return "/* kernelpro\n"
         "axis   rows = 4096, cols = 64\n"
         "input  in : f32[rows, cols]\n"
         "output out : f32[rows]\n"
         "launch work<<<ceil_div(rows, 256), 256>>>(in, out, rows, cols)\n"
         "*/\n"
         "extern \"C\" __global__ void work(const float* in, float* out, int rows, int cols) {\n"
         "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (row >= rows) return;\n" +
         body + "}\n";
}

std::string refusal(const std::string& source) {
  return FakeSubject(source).refusal(*make_unroll());
}

TEST(Unroll, sums_into_several_accumulators) {
  const FakeSubject subject(rows_source(
      "  float sum = 0.0f;\n  for (int c = 0; c < cols; ++c) sum += in[row * cols + c];\n"
      "  out[row] = sum;\n"));
  const auto versions = subject.versions(*make_unroll());
  ASSERT_EQ(versions.size(), 2u);
  const std::string& four = versions[0].source;
  EXPECT_TRUE(contains(four, "float sum_turn[4] = {sum};")) << four;
  EXPECT_TRUE(contains(four, "for (; c + 3 < cols; c += 4) {")) << four;
  EXPECT_TRUE(contains(four, "in_turn[turn] = in[row * cols + (c + turn)];")) << four;
  EXPECT_TRUE(contains(four, "sum_turn[turn] += in_turn[turn];")) << four;
  EXPECT_TRUE(contains(four, "sum = sum_turn[0] + sum_turn[1] + sum_turn[2] + sum_turn[3];"))
      << four;
  EXPECT_TRUE(contains(four, "for (; c < cols; c += 1) {")) << four;
  EXPECT_TRUE(contains(versions[1].source, "float sum_turn[8] = {sum};"));
}

TEST(Unroll, knows_maxima_fused_products_conditions_and_locals) {
  const FakeSubject subject(
      rows_source("  float most = -1e30f, dot = 0.0f;\n  int count = 0;\n"
                  "  for (int c = 1; c <= cols - 1; c += 2) {\n    // one of two\n"
                  "    const float v = in[row * cols + c];\n    most = fmaxf(most, v);\n"
                  "    dot = fmaf(v, in[c], dot);\n    if (v > 0.5f) ++count;\n  }\n"
                  "  out[row] = most + dot + count;\n"));
  const auto versions = subject.versions(*make_unroll());
  ASSERT_EQ(versions.size(), 2u);
  const std::string& four = versions[0].source;
  EXPECT_TRUE(contains(four, "float most_turn[4] = {most, most, most, most};")) << four;
  EXPECT_TRUE(contains(four, "int count_turn[4] = {count};")) << four;
  EXPECT_TRUE(contains(four, "for (; c + 3 * 2 <= cols - 1; c += 4 * 2) {")) << four;
  EXPECT_TRUE(contains(four, "v_turn[turn] = in[row * cols + (c + turn * 2)];")) << four;
  EXPECT_TRUE(contains(four, "dot_turn[turn] = fmaf(v_turn[turn], in_turn[turn], dot_turn[turn]);"))
      << four;
  EXPECT_TRUE(contains(four, "if (v_turn[turn] > 0.5f) ++count_turn[turn];")) << four;
  EXPECT_TRUE(contains(
      four, "most = max(max(max(most_turn[0], most_turn[1]), most_turn[2]), most_turn[3]);"))
      << four;
}

TEST(Unroll, keeps_a_step_that_is_no_literal_in_a_variable) {
  const FakeSubject subject(
      rows_source("  float sum = 0.0f;\n  int c;\n  for (c = threadIdx.x; c < cols; c += "
                  "blockDim.x) sum -= in[c];\n"
                  "  out[row] = sum + c;\n"));
  const auto versions = subject.versions(*make_unroll());
  ASSERT_FALSE(versions.empty());
  EXPECT_TRUE(contains(versions[0].source, "const int c_step = blockDim.x;")) << versions[0].source;
  EXPECT_TRUE(contains(versions[0].source, "in[c + turn * c_step]")) << versions[0].source;
}

TEST(Unroll, does_not_load_what_a_condition_guards) {
  const FakeSubject subject(rows_source(
      "  float sum = 0.0f;\n  for (int c = 0; c < cols; ++c) if (c < row) sum += in[row - c];\n"
      "  out[row] = sum;\n"));
  const auto versions = subject.versions(*make_unroll());
  ASSERT_FALSE(versions.empty());
  EXPECT_FALSE(contains(versions[0].source, "in_turn")) << versions[0].source;
  EXPECT_TRUE(
      contains(versions[0].source, "if ((c + turn) < row) sum_turn[turn] += in[row - (c + turn)];"))
      << versions[0].source;
}

TEST(Unroll, leaves_turns_that_depend_on_each_other_to_the_compiler) {
  for (const std::string loop :
       {"for (int c = 0; c < cols; ++c) sum = sum * 0.5f + in[c];",
        "for (int c = 0; c < cols; ++c) { sum += in[c]; out[row] = sum; }",
        "for (int c = 0; c < cols; ++c) { sum += in[c]; last = fmaxf(last, sum); }",
        "for (int c = 0; c < cols; ++c) { sum += atomicAdd(out + c, 1.0f); }",
        "for (int c = 0; c < cols; ++c) { last = in[c] - sum; sum += last; }"}) {
    const FakeSubject subject(rows_source("  float sum = 0.0f, last = 0.0f;\n  " + loop +
                                          "\n  out[row] = sum + last;\n"));
    const auto versions = subject.versions(*make_unroll());
    ASSERT_EQ(versions.size(), 2u) << loop;
    EXPECT_TRUE(contains(versions[0].source, "#pragma unroll 4\n  for (int c"))
        << versions[0].source;
    EXPECT_TRUE(contains(versions[1].source, "#pragma unroll 8\n"));
  }
}

TEST(Unroll, leaves_short_unrolled_and_open_loops_alone) {
  for (const std::string loop :
       {"for (int c = 0; c < 8; ++c) sum += in[c];",
        "\n#pragma unroll 2\n  for (int c = 0; c < cols; ++c) sum += in[c];",
        "for (int c = 0; c < cols; ++c) { if (in[c] < 0) break; sum += in[c]; }",
        "for (int c = 0; c < cols; ++c) { if (in[c] < 0) continue; sum += in[c]; }",
        "while (sum < 3.0f) sum += in[0] + 1.0f;"}) {
    EXPECT_FALSE(
        refusal(rows_source("  float sum = 0.0f;\n  " + loop + "\n  out[row] = sum;\n")).empty())
        << loop;
  }
}

TEST(Unroll, does_not_unroll_what_it_unrolled) {
  const auto once = FakeSubject(rows_source("  float sum = 0.0f;\n"
                                            "  for (int c = 0; c < cols; ++c) sum += in[c];\n"
                                            "  out[row] = sum;\n"))
                        .versions(*make_unroll());
  ASSERT_FALSE(once.empty());
  EXPECT_FALSE(refusal(once[0].source).empty());
}

const char* kIndex = "  int at = blockIdx.x * blockDim.x + threadIdx.x;\n";

TEST(Unroll, gives_threads_of_element_wise_kernels_several_elements) {
  const FakeSubject subject(elementwise_source(
      std::string(kIndex) +
      "  if (at >= count) return;\n  float v = in[at];\n  out[at] = v * in[0];\n"));
  const auto versions = subject.versions(*make_unroll());
  ASSERT_EQ(versions.size(), 1u);
  const std::string& source = versions[0].source;
  EXPECT_TRUE(contains(source, "ceil_div(count, 256 * 4)")) << source;
  EXPECT_TRUE(contains(source, "int at = at_thread / 32 * 128 + at_thread % 32;")) << source;
  EXPECT_TRUE(contains(source, "if (at_thread / 32 * 128 + 127 < count) {")) << source;
  EXPECT_TRUE(contains(source, "v_turn[turn] = in[at + turn * 32];")) << source;
  EXPECT_TRUE(contains(source, "out[at + turn * 32] = v_turn[turn] * in_turn[turn];")) << source;
  EXPECT_TRUE(contains(source, "if (at + turn * 32 < count) {")) << source;
}

TEST(Unroll, refuses_element_wise_kernels_that_load_what_they_store_or_know_their_block) {
  for (const std::string body :
       {"out[at] = in[at] + out[0];", "out[at] = in[at] + blockIdx.x;", "out[at] = 1.0f;",
        "out[at] = in[at]; atomicAdd(out, 1.0f);", "out[at] += in[at];"}) {
    EXPECT_FALSE(
        refusal(elementwise_source(std::string(kIndex) + "  if (at < count) { " + body + " }\n"))
            .empty())
        << body;
  }
}

TEST(Unroll, composes_with_read_only_loads) {
  const auto once = FakeSubject(rows_source("  float sum = 0.0f;\n"
                                            "  for (int c = 0; c < cols; ++c) sum += in[c];\n"
                                            "  out[row] = sum;\n"))
                        .versions(*make_read_only_loads());
  ASSERT_EQ(once.size(), 1u);
  EXPECT_EQ(FakeSubject(once[0].source).versions(*make_unroll()).size(), 2u);
}

}  // namespace
}  // namespace kp::propose
