// SPDX-License-Identifier: Apache-2.0
// Brings the rows of one tree up to date; for Index::refresh.
#pragma once
#include "codesearch/index.h"

namespace kp::codesearch {

/// What the files of one root are called in the index: `name/path`, or `path` when `name` is empty.
std::string shown_path(std::string_view name, std::string_view path);

struct Tree {
  const Root& root;
  std::string name;
};

/// Within the caller's transaction. Rows of files that no tree holds any more are removed.
Result<Refreshed> update_trees(Sqlite& database, const std::vector<Tree>& trees);

}  // namespace kp::codesearch
