// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string grid_source(
    const std::string& body,
    const std::string& parameters = "const float* in, float* out, int rows, int cols",
    const std::string& rows = "512") {
  return "/* kernelpro\n"
         "axis   rows = " +
         rows +
         ", cols = 96\n"
         "input  in : f32[rows, cols]\n"
         "output out : f32[rows, cols]\n"
         "launch work<<<ceil_div(rows * cols, 256), 256>>>(in, out, rows, cols)\n"
         "*/\n"
         "extern \"C\" __global__ void work(" +
         parameters + ") {\n" + body + "}\n";
}

const char* kIndex =
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= rows * cols) return;\n";

std::string best(const std::string& source) {
  const auto versions = FakeSubject(source).versions(*make_strength_reduce());
  return versions.empty() ? "" : versions.front().source;
}
std::string with_index(const std::string& body) { return grid_source(kIndex + body); }
bool refused(const std::string& source) {
  return !FakeSubject(source).refusal(*make_strength_reduce()).empty();
}

TEST(StrengthReduce, shifts_what_cannot_be_negative) {
  const std::string source =
      best(with_index("  int lane = i % 32, far = (i + cols) / 8;\n  out[i] = in[lane] + far;\n"));
  EXPECT_TRUE(contains(source, "lane = (i & 31), far = ((i + cols) >> 3);")) << source;
}

TEST(StrengthReduce, does_not_shift_what_may_be_negative_or_is_unsigned) {
  EXPECT_TRUE(refused(with_index("  int k = i - 5;\n  out[i] = in[i] + k / 32;\n")));
  EXPECT_TRUE(refused(with_index("  int k = (int)in[i];\n  out[i] = k % 32;\n")));
  EXPECT_TRUE(refused(with_index("  unsigned k = threadIdx.x;\n  out[i] = in[k / 32];\n")));
  EXPECT_TRUE(refused(with_index("  int k = i;\n  k -= 7;\n  out[i] = in[i] + k / 32;\n")));
  EXPECT_TRUE(refused(with_index("  out[i] = in[i] + i / 12;\n")));
}

TEST(StrengthReduce, divides_once_for_quotient_and_remainder) {
  const std::string source =
      best(with_index("  int r = i / cols;\n  int c = i % cols;\n  out[i] = in[c] + r;\n"));
  EXPECT_TRUE(contains(source, "int r = i / cols;\n  int c = (i - r * cols);")) << source;
  const std::string later = best(with_index("  out[i] = in[i % cols] + i / cols;\n"));
  EXPECT_TRUE(contains(later, "const auto quotient = i / cols;")) << later;
  EXPECT_TRUE(contains(later, "in[(i - quotient * cols)] + quotient;")) << later;
}

TEST(StrengthReduce, does_not_share_divisions_of_what_changes) {
  EXPECT_TRUE(refused(
      with_index("  int k = i;\n  int r = k / cols;\n  k += r;\n  out[i] = in[k % cols];\n")));
  EXPECT_TRUE(refused(with_index("  int r = i / cols;\n  out[i] = in[i % rows] + r;\n")));
}

TEST(StrengthReduce, hoists_addresses_out_of_loops) {
  const std::string source =
      best(with_index("  float s = 0.0f;\n  for (int k = 0; k < cols; ++k) s += in[i * cols + k] * "
                      "in[k * rows + i];\n"
                      "  out[i] = s;\n"));
  EXPECT_TRUE(contains(source, "const float* in_k = in + (i * cols);")) << source;
  EXPECT_TRUE(contains(source, "const float* in_k_ = in + (i);")) << source;
  EXPECT_TRUE(contains(source, "++k, in_k_ += rows) s += in_k[k] * *in_k_;")) << source;
}

TEST(StrengthReduce, starts_hoisted_addresses_where_the_loop_starts) {
  const std::string source =
      best(with_index("  float s = 0.0f;\n  for (int k = 3; k < cols; k += 2) s += in[k * rows];\n "
                      " out[i] = s;\n"));
  EXPECT_TRUE(contains(source, "const float* in_k = in + (3) * rows;")) << source;
  EXPECT_TRUE(contains(source, "k += 2, in_k += (2) * rows)")) << source;
}

TEST(StrengthReduce, does_not_hoist_what_moves_otherwise_or_may_wrap) {
  for (const std::string element : {"in[(i - 1) + k]", "in[k * k + i]", "in[k + 1]",
                                    "in[s > 0 ? k : i]", "in[(int)in[k] + k]"}) {
    EXPECT_TRUE(refused(with_index("  float s = 0.0f;\n  for (int k = 0; k < cols; ++k) s += " +
                                   element + ";\n  out[i] = s;\n")))
        << element;
  }
}

const char* kWide =
    "  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i >= rows * cols) return;\n"
    "  for (long long k = 0; k < 2; ++k) out[i] = in[i] + in[static_cast<size_t>(k) * cols];\n";

TEST(StrengthReduce, uses_32_bits_where_arrays_fit) {
  const std::string source =
      best(grid_source(kWide, "const float* in, float* out, size_t rows, size_t cols"));
  EXPECT_TRUE(contains(source, "unsigned rows, unsigned cols")) << source;
  EXPECT_TRUE(
      contains(source, "const unsigned i = (unsigned)blockIdx.x * blockDim.x + threadIdx.x;"));
  EXPECT_TRUE(contains(source, "for (int k = 0;")) << source;
  EXPECT_FALSE(contains(source, "size_t")) << source;
}

TEST(StrengthReduce, keeps_64_bits_that_are_needed) {
  const std::string large =
      "  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < (size_t)rows * cols) out[i] = in[i];\n";
  EXPECT_TRUE(
      refused(grid_source(large, "const float* in, float* out, int rows, int cols", "50000000")));
  EXPECT_TRUE(refused(
      with_index("  unsigned long long h = i;\n  h = h * 6364136223846793005ull ^ (h >> 3);\n"
                 "  out[i] = in[i] + (float)(h >> 40);\n")));
  EXPECT_TRUE(refused(with_index("  size_t k = i;\n  out[i] = in[k - 1 + 1];\n")));
}

TEST(StrengthReduce, multiplies_for_powers_and_exact_quotients) {
  const std::string source =
      best(with_index("  float x = in[i];\n  out[i] = powf(x, 2.0f) / 8.0f + x / 3.0f;\n"));
  EXPECT_TRUE(contains(source, "out[i] = (x * x) * 0.125f + x / 3.0f;")) << source;
  EXPECT_TRUE(refused(with_index("  float x = in[i];\n  out[i] = powf(x, 2.5f);\n")));
}

TEST(StrengthReduce, takes_one_reciprocal_for_a_loop_in_a_version_of_its_own) {
  const std::string body =
      "  float sum = in[i];\n  for (int k = 0; k < 4; ++k) out[k] = in[k] / sum + powf(sum, "
      "2.0f);\n";
  const auto versions = FakeSubject(with_index(body)).versions(*make_strength_reduce());
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_TRUE(contains(versions[0].source, "const float sum_inverse = 1.0f / sum;"))
      << versions[0].source;
  EXPECT_TRUE(contains(versions[0].source, "in[k] * sum_inverse")) << versions[0].source;
  EXPECT_TRUE(contains(versions[1].source, "in[k] / sum")) << versions[1].source;
  EXPECT_TRUE(refused(with_index(
      "  float s = in[i];\n  for (int k = 0; k < 4; ++k) { s += 1.0f; out[k] = in[k] / s; }\n")));
}

TEST(StrengthReduce, composes_with_read_only_loads) {
  const std::string source =
      best(with_index("  int r = i / cols;\n  int c = i % cols;\n  out[i] = in[c] + r;\n"));
  EXPECT_EQ(FakeSubject(source).versions(*make_read_only_loads()).size(), 1u);
}

}  // namespace
}  // namespace kp::propose
