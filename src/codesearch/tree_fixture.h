// SPDX-License-Identifier: Apache-2.0
// Small source trees in a temporary folder, and an index over them; for tests.
#pragma once
#include <gtest/gtest.h>

#include <fstream>

#include "codesearch/index.h"

namespace kp::codesearch {

class TreeTest : public testing::Test {
 protected:
  void write(const std::string& path, std::string_view text) {
    const Path file = root() / path;
    EXPECT_TRUE(make_folder(file.parent_path()));
    // Not write_file: trees have many files, and nobody needs these after a crash.
    EXPECT_TRUE(std::ofstream(file, std::ios::binary)
                    .write(text.data(), static_cast<std::streamsize>(text.size())));
  }

  Path root() const { return folder_.path() / "tree"; }
  Path database() const { return folder_.path() / "index.db"; }

  Index open() {
    auto index = Index::open({root()}, database());
    EXPECT_TRUE(index) << index.error().text();
    return *std::move(index);
  }
  /// Opened and brought up to date.
  Index fresh() {
    Index index = open();
    const auto refreshed = index.refresh();
    EXPECT_TRUE(refreshed) << refreshed.error().text();
    return index;
  }

  static std::vector<Hit> hits(Index& index, std::string_view query, int limit = 10) {
    const auto found = index.search(query, limit);
    EXPECT_TRUE(found) << found.error().text();
    return found ? *found : std::vector<Hit>{};
  }
  static std::string first_path(Index& index, std::string_view query) {
    const auto found = hits(index, query);
    return found.empty() ? "nothing" : found.front().path;
  }
  static std::string reading_error(Index& index, std::string_view path, int first = 1,
                                   int last = 9) {
    const auto passage = index.read(path, first, last);
    return passage ? "no error: " + passage->text : passage.error().text();
  }

  TemporaryFolder folder_ = *TemporaryFolder::make("kernelpro-code");
};

}  // namespace kp::codesearch
