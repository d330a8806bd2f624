// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string transpose_like(const std::string& statement) {
  return "/* kernelpro\n"
         "axis   height = 512, width = 256\n"
         "input  in : f32[height, width]\n"
         "output out : f32[width, height]\n"
         "launch flip<<<(ceil_div(width, 16), ceil_div(height, 16)), (16, 16)>>>(in, out, height, "
         "width)\n"
         "*/\n"
         "extern \"C\" __global__ void flip(const float* in, float* out, int height, int width) {\n"
         "  int u = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  int v = blockIdx.y * blockDim.y + threadIdx.y;\n"
         "  " +
         statement + "\n}\n";
}

TEST(TileThroughShared, coalesces_both_sides_of_a_naive_transpose) {
  const FakeSubject subject(
      transpose_like("if (u < width && v < height) out[u * height + v] = in[v * width + u];"));
  const auto versions = subject.versions(*make_tile_through_shared());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_TRUE(contains(versions[0].source, "__shared__ float kp_tile[32][32 + 1]"));
  EXPECT_TRUE(contains(versions[0].source, "ceil_div(width, 32)")) << versions[0].source;
  EXPECT_TRUE(contains(versions[0].source, "(32, 8)")) << versions[0].source;
}

TEST(TileThroughShared, keeps_what_is_done_with_the_value) {
  const FakeSubject subject(
      transpose_like("if (u < width && v < height) { out[u * height + v] = fmaxf(2.0f * in[v * "
                     "width + u], 0.0f); }"));
  const auto versions = subject.versions(*make_tile_through_shared());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_TRUE(contains(versions[0].source, "fmaxf(2.0f * kp_tile[threadIdx.x][kp_i], 0.0f)"));
}

TEST(TileThroughShared, refuses_a_copy) {
  const FakeSubject subject(
      transpose_like("if (u < width && v < height) out[v * width + u] = in[v * width + u];"));
  EXPECT_FALSE(subject.refusal(*make_tile_through_shared()).empty());
}

TEST(TileThroughShared, refuses_a_value_that_depends_on_the_place) {
  const FakeSubject subject(
      transpose_like("if (u < width && v < height) out[u * height + v] = in[v * width + u] * u;"));
  EXPECT_FALSE(subject.refusal(*make_tile_through_shared()).empty());
}

}  // namespace
}  // namespace kp::propose
