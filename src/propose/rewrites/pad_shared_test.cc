// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

std::string shared_source(const std::string& declaration, const std::string& use) {
  return elementwise_source("  " + declaration + "\n  int at = threadIdx.x;\n  " + use +
                            "\n  if (at < count) out[at] = in[at];\n");
}

TEST(PadShared, makes_the_last_dimension_one_longer) {
  const FakeSubject subject(shared_source("__shared__ float stage[8][64];",
                                          "stage[at % 8][at % 64] = in[at]; __syncthreads();"));
  const auto versions = subject.versions(*make_pad_shared());
  ASSERT_EQ(versions.size(), 1u);
  EXPECT_TRUE(contains(versions[0].source, "stage[8][64 + 1]"));
}

TEST(PadShared, offers_one_version_for_each_array) {
  const FakeSubject subject(
      shared_source("__shared__ float one[8][32]; __shared__ float two[4][2][32];",
                    "one[0][at % 32] = in[at]; two[1][1][at % 32] = in[at]; __syncthreads();"));
  EXPECT_EQ(subject.versions(*make_pad_shared()).size(), 2u);
}

TEST(PadShared, leaves_an_array_alone_whose_address_is_passed_on) {
  const FakeSubject subject(shared_source("__shared__ float stage[8][64];",
                                          "float* flat = &stage[0][0]; flat[at] = in[at];"));
  EXPECT_FALSE(subject.refusal(*make_pad_shared()).empty());
}

TEST(PadShared, leaves_a_row_of_an_array_alone_that_decays_to_a_pointer) {
  const FakeSubject subject(shared_source("__shared__ float stage[8][64];",
                                          "float* row = stage[1]; row[at % 64] = in[at];"));
  EXPECT_FALSE(subject.refusal(*make_pad_shared()).empty());
}

TEST(PadShared, does_not_pad_one_dimension_or_what_is_padded) {
  EXPECT_FALSE(FakeSubject(shared_source("__shared__ float line[256];", "line[at] = in[at];"))
                   .refusal(*make_pad_shared())
                   .empty());
  EXPECT_FALSE(FakeSubject(shared_source("__shared__ float line[8][33];", "line[0][0] = in[at];"))
                   .refusal(*make_pad_shared())
                   .empty());
}

}  // namespace
}  // namespace kp::propose
