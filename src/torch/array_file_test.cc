// SPDX-License-Identifier: Apache-2.0
#include "torch/array_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

namespace kp::torch {
namespace {

using Json = nlohmann::json;

TEST(ArrayFile, GivesBackWhatItWasMadeWith) {
  const Tensors arrays{{"x", {1, -2.5}}, {"none", {}}, {"y", std::vector<double>(100, 3)}};
  const auto file = ArrayFile::make(arrays);
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(*file->read(file->entries()), arrays);
}

TEST(ArrayFile, ReadsWhatTheOtherSideAppends) {
  const auto file = ArrayFile::make({{"x", {1}}});
  const double values[] = {4, 5};
  ASSERT_EQ(::pwrite(file->descriptor(), values, sizeof values, 64), 16);
  const Json entries = {{{"name", "out"}, {"offset", 64}, {"count", 2}}};
  EXPECT_EQ(*file->read(entries), (Tensors{{"out", {4, 5}}}));
}

TEST(ArrayFile, RefusesEntriesThatPointElsewhere) {
  const auto file = ArrayFile::make({{"x", {1, 2, 3}}});
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const auto& [offset, count] : {std::pair<std::int64_t, std::int64_t>{0, 4},
                                      {8, 3},
                                      {-8, 1},
                                      {0, -1},
                                      {most, 1},
                                      {0, most},
                                      {0, most / 8 + 2}}) {
    const auto read = file->read({{{"name", "x"}, {"offset", offset}, {"count", count}}});
    ASSERT_FALSE(read.has_value()) << offset << " " << count;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  }
  EXPECT_FALSE(file->read({{{"name", "x"}, {"offset", "0"}}}).has_value());
  EXPECT_FALSE(file->read(7).has_value());
}

}  // namespace
}  // namespace kp::torch
