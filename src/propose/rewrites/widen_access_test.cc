// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

const char* kIndex = "  int at = blockIdx.x * blockDim.x + threadIdx.x;\n";

TEST(WidenAccess, moves_four_floats_at_a_time) {
  const FakeSubject subject(
      elementwise_source(std::string(kIndex) + "  if (at < count) { out[at] = 2.0f * in[at]; }\n"));
  const auto versions = subject.versions(*make_widen_access());
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_TRUE(contains(versions[0].source, "const uint4*>(in + at)"));
  EXPECT_TRUE(contains(versions[0].source, "ceil_div(count, 256 * 4)"));
  EXPECT_TRUE(contains(versions[1].source, "const uint2*>(in + at)"));
}

TEST(WidenAccess, keeps_the_width_of_an_index_beyond_two_billion) {
  for (const char* block : {"(long long)blockIdx.x", "static_cast<long long>(blockIdx.x)"}) {
    const FakeSubject subject(
        elementwise_source(fmt::format("  long long at = {} * blockDim.x + threadIdx.x;\n"
                                       "  if (at < count) {{ out[at] = 2.0f * in[at]; }}\n",
                                       block)));
    const auto versions = subject.versions(*make_widen_access());
    ASSERT_EQ(versions.size(), 2u) << block;
    EXPECT_TRUE(
        contains(versions[0].source,
                 fmt::format("long long at_first = ({} * blockDim.x + threadIdx.x) * 4;", block)))
        << versions[0].source;
  }
}

TEST(WidenAccess, refuses_an_index_that_was_narrowed) {
  const FakeSubject subject(
      elementwise_source("  int at = (short)blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (at < count) { out[at] = 2.0f * in[at]; }\n"));
  EXPECT_FALSE(subject.refusal(*make_widen_access()).empty());
}

TEST(WidenAccess, understands_an_early_return) {
  const FakeSubject subject(
      elementwise_source(std::string(kIndex) +
                         "  if (at >= count) return;\n  float v = in[at];\n  out[at] = v * v;\n"));
  EXPECT_EQ(subject.versions(*make_widen_access()).size(), 2u);
}

TEST(WidenAccess, follows_an_index_that_is_a_sum_with_the_thread_index) {
  const FakeSubject subject(elementwise_source(std::string(kIndex) +
                                               "  if (at < count) {\n    int far = blockIdx.y * "
                                               "count + at;\n    out[far] = in[far];\n  }\n"));
  const auto versions = subject.versions(*make_widen_access());
  ASSERT_FALSE(versions.empty());
  EXPECT_TRUE(contains(versions[0].source, "const uint4*>(in + far)"));
}

TEST(WidenAccess, drops_index_arithmetic_that_lanes_do_not_need) {
  const FakeSubject subject(elementwise_source(std::string(kIndex) +
                                               "  if (at < count) {\n    int far = blockIdx.y * "
                                               "count + at;\n    out[far] = in[far];\n  }\n"));
  const auto versions = subject.versions(*make_widen_access());
  ASSERT_FALSE(versions.empty());
  EXPECT_TRUE(contains(versions[0].source, "++lane) {\n        out_lane[lane] = in_lane[lane];\n"))
      << versions[0].source;
}

TEST(WidenAccess, keeps_an_index_that_the_value_depends_on) {
  const FakeSubject subject(elementwise_source(
      std::string(kIndex) + "  if (at < count) out[at] = in[at] + (float)at;\n"));
  const auto versions = subject.versions(*make_widen_access());
  ASSERT_FALSE(versions.empty());
  EXPECT_TRUE(contains(versions[0].source, "int at = at_first + lane;")) << versions[0].source;
}

TEST(WidenAccess, is_not_confused_by_names_that_contain_each_other) {
  const FakeSubject subject(elementwise_source(
      std::string(kIndex) +
      "  int atoms = count;\n  if (at < count) {\n    int far = blockIdx.y * atoms + at;\n"
      "    out[far] = in[far];\n  }\n"));
  EXPECT_EQ(subject.versions(*make_widen_access()).size(), 2u);
}

TEST(WidenAccess, does_not_preload_what_is_only_stored) {
  const FakeSubject subject(
      elementwise_source(std::string(kIndex) + "  if (at < count) out[at] = in[at];\n"));
  for (const auto& version : subject.versions(*make_widen_access())) {
    EXPECT_FALSE(contains(version.source, "(out_lane) = ")) << version.source;
  }
}

TEST(WidenAccess, refuses_a_strided_index) {
  const FakeSubject subject(elementwise_source(
      std::string(kIndex) + "  if (at < count / 2) out[2 * at] = in[2 * at];\n"));
  EXPECT_FALSE(subject.refusal(*make_widen_access()).empty());
}

TEST(WidenAccess, refuses_a_store_under_a_condition) {
  const FakeSubject subject(elementwise_source(
      std::string(kIndex) + "  if (at < count) { if (in[at] > 0.0f) out[at] = in[at]; }\n"));
  EXPECT_FALSE(subject.refusal(*make_widen_access()).empty());
}

TEST(WidenAccess, refuses_an_array_that_is_stored_and_read_elsewhere) {
  const FakeSubject subject(elementwise_source(
      std::string(kIndex) + "  if (at < count) { out[at] = in[at] + out[0]; }\n"));
  EXPECT_FALSE(subject.refusal(*make_widen_access()).empty());
}

TEST(WidenAccess, refuses_threads_that_talk_to_each_other) {
  const FakeSubject subject(elementwise_source(
      std::string(kIndex) + "  if (at < count) { out[at] = in[at]; __syncwarp(); }\n"));
  EXPECT_FALSE(subject.refusal(*make_widen_access()).empty());
}

}  // namespace
}  // namespace kp::propose
