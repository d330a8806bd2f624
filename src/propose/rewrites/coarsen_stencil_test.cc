// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string stencil(const std::string& statement, const std::string& indices = "") {
  return "/* kernelpro\n"
         "axis   high = 300, wide = 200\n"
         "input  in : f32[high, wide]\n"
         "output out : f32[high, wide]\n"
         "launch blur<<<(ceil_div(wide, 16), ceil_div(high, 16)), (16, 16)>>>(in, out, high, "
         "wide)\n"
         "*/\n"
         "extern \"C\" __global__ void blur(const float* in, float* out, int high, int wide) {\n"
         "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  int y = blockIdx.y * blockDim.y + threadIdx.y;\n" +
         indices + "  if (x >= wide || y >= high) return;\n  " + statement + "\n}\n";
}

const std::string kColumn =
    "if (y < 1 || y + 1 >= high) {\n    out[y * wide + x] = in[y * wide + x];\n    return;\n  }\n"
    "  const int at = y * wide + x;\n"
    "  out[at] = 0.5f * in[at] + 0.25f * (in[at - wide] + in[(y + 1) * wide + x]) + in[at + 1];";

TEST(CoarsenStencil, loads_the_neighbours_of_several_points_once) {
  const FakeSubject subject(stencil(kColumn));
  const auto versions = subject.versions(*make_coarsen_stencil());
  ASSERT_EQ(versions.size(), 1u);
  const std::string& source = versions[0].source;
  EXPECT_TRUE(contains(source, "<<<(ceil_div(wide, 32), ceil_div(high, 8 * ROWS)), (32, 8)>>>"))
      << source;
  EXPECT_TRUE(contains(source, "float kp_window0[ROWS + 2];")) << source;
  EXPECT_TRUE(contains(source, "0.25f * (kp_window0[kp_r] + kp_window0[kp_r + 2])")) << source;
  EXPECT_TRUE(contains(source, "high * wide - 1")) << source;
}

TEST(CoarsenStencil, leaves_a_kernel_that_other_rewrites_understand) {
  std::string body = kColumn;
  body.replace(body.find("0.25f"), 5, "0.25");
  const auto coarse = FakeSubject(stencil(body)).versions(*make_coarsen_stencil());
  ASSERT_EQ(coarse.size(), 1u);
  EXPECT_EQ(FakeSubject(coarse[0].source).versions(*make_float_literals()).size(), 1u);
}

struct Case {
  std::string statement, indices, why;
};

TEST(CoarsenStencil, refuses_with_the_reason) {
  const Case cases[] = {
      {"out[y * wide + x] = in[y * wide + x];", "", "several places"},
      {"out[y * wide + x] = in[y * wide + x] + in[y * wide + x / 2] + in[y * wide];", "",
       "constant distances"},
      {"int at = y * wide + x; out[at] = in[at] + in[at + 1] + in[at - 1];", "", "share no"},
      {"out[y * wide + x] = in[y * wide + x] + in[3] + in[4] + threadIdx.x;", "", "threadIdx.x"},
      {kColumn, "  __shared__ float s; s = 1;\n", "talk to each other"},
      {kColumn, "  x = x + 1;\n", "changes"},
  };
  for (const Case& c : cases) {
    const std::string why =
        FakeSubject(stencil(c.statement, c.indices)).refusal(*make_coarsen_stencil());
    EXPECT_TRUE(contains(why, c.why)) << c.statement << ": " << why;
  }
}

TEST(CoarsenStencil, refuses_arrays_whose_extent_it_cannot_see) {
  std::string source = stencil(kColumn);
  source.replace(source.find("in : f32[high, wide]"), 20, "in : f32[high + 1, wide]");
  EXPECT_TRUE(contains(FakeSubject(source).refusal(*make_coarsen_stencil()), "extent"));
}

}  // namespace
}  // namespace kp::propose
