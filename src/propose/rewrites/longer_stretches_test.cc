// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

/// A thread for each column of a matrix; `body` works on `col`.
std::string columns_source(const std::string& body, const std::string& block = "256") {
  return "/* kernelpro\n"
         "axis   rows = 512, cols = 4095\n"
         "input  in : f32[rows, cols]\n"
         "output out : f32[cols]\n"
         "launch work<<<ceil_div(cols, " +
         block + "), " + block +
         ">>>(in, out, rows, cols)\n"
         "*/\n"
         "extern \"C\" __global__ void work(const float* in, float* out, int rows, int cols) {\n"
         "  int col = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (col < cols) {\n" +
         body + "  }\n}\n";
}

const char* kSum =
    "    float sum = 0.0f;\n"
    "    for (int row = 0; row < rows; ++row) {\n"
    "      const float v = in[row * cols + col];\n"
    "      sum += v;\n    }\n"
    "    out[col] = sum;\n";

std::string refusal(const std::string& source) {
  return FakeSubject(source).refusal(*make_longer_stretches());
}

TEST(LongerStretches, walks_down_several_columns_at_a_time) {
  const FakeSubject subject(columns_source(kSum));
  const auto versions = subject.versions(*make_longer_stretches());
  ASSERT_EQ(versions.size(), 2u);
  const std::string& four = versions[0].source;
  for (const std::string part :
       {"launch work<<<ceil_div(cols, 256 * 4), 256>>>",
        "const int col_thread = blockIdx.x * blockDim.x + threadIdx.x;",
        "int col = col_thread / 32 * 128 + col_thread % 32;",
        "if (col_thread / 32 * 128 + 127 < cols) {", "sum_turn[turn] = 0.0f;",
        "for (int row = 0; row < rows; ++row) {",
        "v_turn[turn] = in[row * cols + (col + turn * 32)];", "sum_turn[turn] += v_turn[turn];",
        "out[col + turn * 32] = sum_turn[turn];", "if (col + turn * 32 < cols) {"}) {
    EXPECT_TRUE(contains(four, part)) << part << "\n" << four;
  }
  EXPECT_TRUE(contains(versions[1].source, "if (col_thread / 32 * 64 + 63 < cols) {"))
      << versions[1].source;
}

TEST(LongerStretches, keeps_conditions_and_loads_the_same_element_twice) {
  const FakeSubject subject(
      columns_source("    float best = in[col], sum = 0.0f;\n"
                     "    for (int row = 1; row < rows; ++row) {\n"
                     "      if (in[row * cols + col] > best) best = in[row * cols + col];\n"
                     "      sum += in[row * cols + col];\n    }\n"
                     "    out[col] = best + sum;\n"));
  const auto versions = subject.versions(*make_longer_stretches());
  ASSERT_EQ(versions.size(), 2u);
  const std::string& four = versions[0].source;
  EXPECT_TRUE(contains(four, "if (in_turn[turn] > best_turn[turn]) best_turn[turn] = in[")) << four;
  EXPECT_TRUE(contains(four, "sum_turn[turn] += in_turn[turn];")) << four;
}

TEST(LongerStretches, refuses_what_ties_elements_to_threads) {
  const std::string loop = "    float sum = 0.0f;\n    for (int row = 0; row < rows; ++row) ";
  for (const std::string& body : std::vector<std::string>{
           loop + "sum += in[row * cols + col] + threadIdx.x;\n    out[col] = sum;\n",
           loop + "{ sum += in[row * cols + col]; if (sum > 9.f) break; }\n    out[col] = sum;\n",
           loop + "{ sum += out[col]; out[col] = sum; }\n",
           "    float sum = 0.0f;\n    for (int row = col; row < rows; ++row) sum += in[row];\n"
           "    out[col] = sum;\n",
           "    atomicAdd(out, in[col]);\n"}) {
    EXPECT_FALSE(refusal(columns_source(body)).empty()) << body;
  }
  EXPECT_FALSE(refusal(columns_source(kSum, "48")).empty()) << "half a warp";
}

TEST(LongerStretches, does_not_lengthen_what_it_lengthened) {
  const auto once = FakeSubject(columns_source(kSum)).versions(*make_longer_stretches());
  ASSERT_FALSE(once.empty());
  EXPECT_FALSE(refusal(once[0].source).empty());
}

}  // namespace
}  // namespace kp::propose
