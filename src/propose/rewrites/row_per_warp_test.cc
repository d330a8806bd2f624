// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string row_source(const std::string& body) {
  return "/* kernelpro\n"
         "axis   m = 4096, n = 1024\n"
         "input  a : f32[m, n]\n"
         "input  scale : f32[m]\n"
         "output b : f32[m, n]\n"
         "output total : f32[m]\n"
         "launch rows<<<ceil_div(m, 128), 128>>>(a, scale, b, total, m, n)\n"
         "*/\n"
         "extern \"C\" __global__ void rows(const float* a, const float* scale, float* b,\n"
         "                                float* total, int m, int n) {\n"
         "  int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (r >= m) return;\n" +
         body + "}\n";
}

const char* kNorm =
    "  const float* row = a + (size_t)r * n;\n"
    "  float sum = 0.0f, largest = row[0];\n"
    "  for (int c = 0; c < n; ++c) {\n"
    "    float v = row[c] * scale[r];\n"
    "    sum += v * v;\n"
    "    if (v > largest) largest = v;\n"
    "  }\n"
    "  float inverse = rsqrtf(sum / n + 1e-5f);\n"
    "#pragma unroll 4\n"
    "  for (int c = 0; c < n; c++) b[r * n + c] = row[c] * inverse;\n"
    "  total[r] = largest;\n";

std::string refusal_of(const std::string& body) {
  return FakeSubject(row_source(body)).refusal(*make_row_per_warp());
}

TEST(RowPerWarp, deals_loops_out_to_a_warp_or_a_block) {
  const auto versions = FakeSubject(row_source(kNorm)).versions(*make_row_per_warp());
  ASSERT_EQ(versions.size(), 2u);
  const std::string& warp = versions[0].source;
  EXPECT_TRUE(contains(warp, "ceil_div(m, ROW_THREADS / 32), ROW_THREADS>>>")) << warp;
  EXPECT_TRUE(contains(warp, "for (int c = lane; c < n; c += 32) {"));
  EXPECT_TRUE(contains(warp, "sum = kp_warp_add(sum);"));
  EXPECT_TRUE(contains(warp, "largest = kp_warp_max(largest);"));
  EXPECT_TRUE(contains(warp, "if (lane == 0) total[r] = largest;"));
  const std::string& block = versions[1].source;
  EXPECT_TRUE(contains(block, "<<<m, ROW_THREADS>>>")) << block;
  EXPECT_TRUE(contains(block, "for (int c = threadIdx.x; c < n; c += blockDim.x) b[r * n + c]"));
}

TEST(RowPerWarp, a_sum_that_goes_on_is_counted_once) {
  const auto versions =
      FakeSubject(row_source("  float sum = scale[r];\n"
                             "  for (int c = 0; c < n; ++c) sum += a[r * n + c];\n"
                             "  for (int c = 0; c < n; ++c) b[r * n + c] = a[r * n + c];\n"
                             "  total[r] = sum;\n"))
          .versions(*make_row_per_warp());
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_TRUE(contains(versions[0].source, "if (lane != 0) sum = 0;")) << versions[0].source;
}

TEST(RowPerWarp, chooses_the_inner_loop_when_it_runs_along_memory) {
  const auto versions = FakeSubject(row_source("  float best = 0.0f;\n"
                                               "  for (int t = 0; t < n / 32; ++t) {\n"
                                               "    float dot = 0.0f;\n"
                                               "    for (int k = 0; k < 32; ++k) {\n"
                                               "      dot += a[r * n + t * 32 + k] * scale[k];\n"
                                               "    }\n"
                                               "    best = fmaxf(best, dot);\n"
                                               "  }\n"
                                               "  total[r] = best;\n"
                                               "  for (int c = 0; c < n; ++c) b[r * n + c] = 0;\n"))
                            .versions(*make_row_per_warp());
  ASSERT_EQ(versions.size(), 4u);
  EXPECT_TRUE(contains(versions[0].source, "for (int t = 0; t < n / 32; ++t)"));
  EXPECT_TRUE(contains(versions[0].source, "dot = kp_warp_add(dot);"));
  EXPECT_TRUE(contains(versions[2].source, "for (int t = lane; t < n / 32; t += 32)"));
}

TEST(RowPerWarp, follows_pointers_to_rows) {
  const std::string pointers =
      "  const float* from = a + (size_t)r * n;\n  float* to = b + (size_t)r * n;\n";
  const std::string copy = "  for (int c = 0; c < n; ++c) to[c] = from[c];\n";
  EXPECT_EQ(FakeSubject(row_source(pointers + copy)).versions(*make_row_per_warp()).size(), 2u);
  EXPECT_NE(refusal_of(pointers + "  ++to;\n" + copy), "");
  EXPECT_NE(refusal_of(pointers + copy + "  total[r] = to[3];\n"), "");
}

TEST(RowPerWarp, stores_under_a_condition_keep_their_branches) {
  const auto versions =
      FakeSubject(row_source("  float sum = 0.0f;\n"
                             "  for (int c = 0; c < n; ++c) {\n"
                             "    const int at = r * n + c;\n"
                             "    b[at] = a[at]; sum += b[at];\n  }\n"
                             "  if (sum > 1.0f) total[r] = sum; else total[r] = 0.0f;\n"))
          .versions(*make_row_per_warp());
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_TRUE(contains(versions[0].source, "if (sum > 1.0f) { if (lane == 0) total[r] = sum; }"));
}

TEST(RowPerWarp, refuses_turns_that_depend_on_each_other) {
  for (const std::string body :
       {"  float s = 0; for (int c = 0; c < n; ++c) { s += a[r * n + c]; b[r * n + c] = s; }\n",
        "  for (int c = 1; c < n; ++c) b[r * n + c] = b[r * n + c - 1] + a[r * n + c];\n",
        "  float s = 0; for (int c = 0; c < n; ++c) s = s * 0.5f + a[r * n + c]; total[r] = s;\n",
        "  float s = 0; for (int c = 0; c < n; ++c) { if (s > 9) s += a[c]; } total[r] = s;\n",
        "  int at = 0; float s = 0; for (int c = 0; c < n; ++c) if (a[c] > s) { s = a[c]; at = c; }"
        " total[r] = at;\n"}) {
    EXPECT_NE(refusal_of(body), "") << body;
  }
}

TEST(RowPerWarp, refuses_what_lanes_would_do_to_each_other) {
  const std::string fill = "  for (int c = 0; c < n; ++c) b[r * n + c] = a[r * n + c];\n";
  EXPECT_EQ(refusal_of(fill), "");
  for (const std::string& body : std::vector<std::string>{
           fill + "  total[r] = b[r * n];\n",                                  // read by all
           fill + "  for (int c = 0; c < n; ++c) total[r] = b[r * n + c];\n",  // one place
           fill + "  for (int c = 1; c < n; ++c) b[r * n + c - 1] += 1.0f;\n",
           "  int k = 0; for (int c = 0; c < n; ++c) b[r * n + k++] = a[c];\n",
           "  float keep[4]; for (int c = 0; c < 4; ++c) keep[c] = a[c]; total[r] = keep[r % "
           "4];\n"}) {
    EXPECT_NE(refusal_of(body), "") << body;
  }
}

TEST(RowPerWarp, refuses_other_uses_of_the_thread_and_effects) {
  const std::string fill = "  for (int c = 0; c < n; ++c) b[r * n + c] = a[r * n + c];\n";
  EXPECT_NE(refusal_of(fill + "  if (threadIdx.x == 0) total[0] = 1;\n"), "");
  EXPECT_NE(refusal_of(fill + "  printf(\"%d\", r);\n"), "");
  EXPECT_NE(refusal_of("  total[r] = a[r];\n"), "") << "no loop";
  EXPECT_NE(
      refusal_of("  for (int c = 0; c < n; ++c) { if (a[c] > 0) break; b[r * n + c] = 1; }\n"), "");
}

}  // namespace
}  // namespace kp::propose
