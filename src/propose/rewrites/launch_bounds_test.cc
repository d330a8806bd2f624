// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

const char* kBody =
    "  int at = blockIdx.x * blockDim.x + threadIdx.x;\n  if (at < count) out[at] = in[at];\n";

TEST(LaunchBounds, names_the_block_size_and_more_residents) {
  const FakeSubject subject(elementwise_source(kBody));
  const auto versions = subject.versions(*make_launch_bounds());
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_TRUE(contains(versions[0].source, "__launch_bounds__(256, 8) work("));
  EXPECT_TRUE(contains(versions[1].source, "__launch_bounds__(256, 4) work("));
}

TEST(LaunchBounds, leaves_bounds_alone_that_are_there) {
  std::string source = elementwise_source(kBody);
  source.insert(source.find("work(const"), "__launch_bounds__(256) ");
  EXPECT_FALSE(FakeSubject(source).refusal(*make_launch_bounds()).empty());
}

}  // namespace
}  // namespace kp::propose
