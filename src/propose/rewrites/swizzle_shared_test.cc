// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string shared_source(const std::string& declaration, const std::string& use) {
  return "#define WIDTH 32\n" +
         elementwise_source("  " + declaration + "\n  int at = threadIdx.x;\n  " + use +
                            "\n  if (at < count) out[at] = in[at];\n");
}

TEST(SwizzleShared, spreads_columns_by_row) {
  const FakeSubject subject(shared_source("__shared__ float stage[8][WIDTH];",
                                          "stage[at / 32][at % 32] = in[at]; __syncthreads();"));
  const auto versions = subject.versions(*make_swizzle_shared());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_TRUE(contains(versions[0].source, "stage[at / 32][(at % 32) ^ ((at / 32) & 31)]"));
}

TEST(SwizzleShared, refuses_other_widths) {
  const FakeSubject subject(
      shared_source("__shared__ float stage[8][64];", "stage[0][0] = in[at];"));
  EXPECT_FALSE(subject.refusal(*make_swizzle_shared()).empty());
}

TEST(SwizzleShared, refuses_subscripts_with_side_effects) {
  const FakeSubject subject(shared_source("__shared__ float stage[8][WIDTH];",
                                          "int r = 0; stage[r++][at % 32] = in[at];"));
  EXPECT_FALSE(subject.refusal(*make_swizzle_shared()).empty());
}

}  // namespace
}  // namespace kp::propose
