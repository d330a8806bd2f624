// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "propose/llm/code_source.h"

namespace kp::propose {
namespace {

TEST(CodeIndex, finds_and_reads_what_the_folders_hold) {
  const auto folder = *TemporaryFolder::make();
  ASSERT_TRUE(make_folder(folder.path() / "include"));
  ASSERT_TRUE(
      write_file(folder.path() / "include" / "copy.hpp",
                 "#pragma once\n// Copies a tile by TMA multicast.\nstruct CopyTile {};\n"));
  auto source = open_code_source({folder.path()});
  ASSERT_TRUE(source) << source.error().text();
  const auto hits = (*source)->search("multicast tile", 5);
  ASSERT_TRUE(hits) << hits.error().text();
  ASSERT_FALSE(hits->empty());
  const auto text = (*source)->read((*hits)[0].path, 3, 9);
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ(*text, "struct CopyTile {};\n");
  EXPECT_FALSE((*source)->read("../copy.hpp", 1, 2));
}

TEST(CodeIndex, is_nothing_without_folders) {
  const auto source = open_code_source({});
  ASSERT_TRUE(source);
  EXPECT_EQ(*source, nullptr);
  EXPECT_FALSE(open_code_source({"/no such folder"}));
}

}  // namespace
}  // namespace kp::propose
