// SPDX-License-Identifier: Apache-2.0
#include "propose/contraction_source.h"
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

TEST(TileContraction, gives_blocks_tiles_and_threads_several_outputs) {
  const FakeSubject subject(contraction_source(kPlainProduct));
  const auto versions = subject.versions(*make_tile_contraction());
  ASSERT_EQ(versions.size(), 4u);
  const std::string& source = versions[0].source;
  EXPECT_TRUE(contains(source, "tune TILE_M in 32, 64")) << source;
  EXPECT_TRUE(contains(source, "<<<(ceil_div(n, TILE_N), ceil_div(m, TILE_M)), (TILE_M / 4) * "))
      << source;
  EXPECT_TRUE(contains(source, "reinterpret_cast<const uint4*>(&a[i * k + t])")) << source;
  EXPECT_TRUE(contains(source, "c[i * n + j] = 2.0f * sum;")) << source;
}

}  // namespace
}  // namespace kp::propose
