// SPDX-License-Identifier: Apache-2.0
#include "propose/contraction_source.h"
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string guarded(const std::string& sum, const std::string& epilogue) {
  return "\n  int i = blockIdx.y * blockDim.y + threadIdx.y;\n"
         "  int j = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i < m && j < n) {\n    " +
         sum + "\n    " + epilogue + "\n  }\n";
}

TEST(TileContraction, gives_blocks_tiles_and_threads_several_outputs) {
  const FakeSubject subject(contraction_source(kPlainProduct));
  const auto versions = subject.versions(*make_tile_contraction());
  ASSERT_EQ(versions.size(), 3u);
  const std::string& source = versions[0].source;
  EXPECT_TRUE(contains(source, "tune TILE_M in 32, 64")) << source;
  EXPECT_TRUE(contains(source, "<<<(ceil_div(n, TILE_N), ceil_div(m, TILE_M)), (TILE_M / 4) * "));
  EXPECT_TRUE(contains(source, "reinterpret_cast<const uint4*>(&a[i * k + t])")) << source;
  EXPECT_TRUE(contains(source, "c[i * n + j] = 2.0f * sum;")) << source;
}

TEST(TileContraction, declares_again_what_operands_and_epilogue_need) {
  const FakeSubject subject(contraction_source(
      guarded("const float* row = a + i * k;\n    float* out = c + (long long)i * n;\n"
              "    float start = c[j];\n    float sum = start;\n"
              "    for (int t = 0; t < k; ++t) sum += row[t] * __ldg(&b[j * k + t]);",
              "if (sum < 0.0f) sum *= 0.1f;\n    out[j] = sum;")));
  const auto versions = subject.versions(*make_tile_contraction());
  ASSERT_FALSE(versions.empty());
  const std::string& source = versions[0].source;
  EXPECT_TRUE(contains(source, "float sum = (start) + kp_sum[kp_u][kp_v];")) << source;
  EXPECT_TRUE(contains(source, "float* out = c + (long long)i * n;")) << source;
}

TEST(TileContraction, converts_operands_on_their_way_to_shared_memory) {
  const FakeSubject subject(contraction_source(
      guarded("float sum = 0.0f;\n    for (int t = 0; t < k; ++t)\n"
              "      sum += 0.5f * __half2float(a[i * k + t]) * __half2float(b[t * n + j]);",
              "c[i * n + j] = sum;"),
      "f16", "__half"));
  const auto versions = subject.versions(*make_tile_contraction());
  ASSERT_FALSE(versions.empty());
  EXPECT_TRUE(contains(versions[0].source, "= 0.5f * __half2float(kp_word[kp_c]);"))
      << versions[0].source;
}

TEST(TileContraction, leaves_operands_that_no_wide_load_fits_to_narrow_ones) {
  const FakeSubject subject(
      contraction_source(guarded("float sum = 0.0f;\n    for (int t = 0; t < k; ++t) "
                                 "sum += (a[i * k + t] - a[i * k]) * b[t * n + 2 * j];",
                                 "c[i * n + j] = sum;")));
  const auto versions = subject.versions(*make_tile_contraction());
  ASSERT_FALSE(versions.empty());
  EXPECT_FALSE(contains(versions[0].source, "kp_wide"));
}

TEST(TileContraction, keeps_batches_apart) {
  std::string source = contraction_source(
      guarded("const float* mine = a + blockIdx.z * m * k;\n    float sum = 0.0f;\n"
              "    for (int t = 0; t < k; ++t) sum += mine[i * k + t] * b[t * n + j];",
              "c[(blockIdx.z * m + i) * n + j] = sum;"));
  const std::string grid = "ceil_div(m, 16))";
  source.replace(source.find(grid), grid.size(), "ceil_div(m, 16), 1)");
  const auto versions = FakeSubject(source).versions(*make_tile_contraction());
  ASSERT_FALSE(versions.empty());
  EXPECT_TRUE(contains(versions[0].source, "const float* mine = a + blockIdx.z * m * k;"));
}

TEST(TileContraction, replaces_launch_bounds_that_no_longer_hold) {
  std::string source = contraction_source(kPlainProduct);
  source.replace(source.find("void product"), 4, "void __launch_bounds__(256)");
  const auto versions = FakeSubject(source).versions(*make_tile_contraction());
  ASSERT_FALSE(versions.empty());
  EXPECT_TRUE(contains(versions[0].source, "__launch_bounds__((TILE_M / 4) * (TILE_N / 4))"))
      << versions[0].source;
}

TEST(TileContraction, leaves_a_kernel_that_other_rewrites_understand) {
  const FakeSubject subject(contraction_source(guarded(
      "float sum = 0.0f;\n    for (int t = 0; t < k; ++t) sum += a[i * k + t] * b[t * n + j];",
      "c[i * n + j] = 0.1 * sum;")));
  const auto tiled = subject.versions(*make_tile_contraction());
  ASSERT_FALSE(tiled.empty());
  const auto both = FakeSubject(tiled[0].source).versions(*make_float_literals());
  ASSERT_FALSE(both.empty());
  EXPECT_TRUE(contains(both[0].source, "c[i * n + j] = 0.1f * sum;"));
}

TEST(TileContraction, refuses_what_is_tiled_already) {
  const auto tiled =
      FakeSubject(contraction_source(kPlainProduct)).versions(*make_tile_contraction());
  ASSERT_FALSE(tiled.empty());
  EXPECT_TRUE(contains(FakeSubject(tiled[0].source).refusal(*make_tile_contraction()), "talk"));
}

TEST(TileContraction, refuses_a_launch_that_it_does_not_understand) {
  std::string source = contraction_source(kPlainProduct);
  const std::string block = "(16, 16)>>>";
  source.replace(source.find(block), block.size(), "(16, 16), 64>>>");
  EXPECT_TRUE(contains(FakeSubject(source).refusal(*make_tile_contraction()), "launch"));
}

}  // namespace
}  // namespace kp::propose
