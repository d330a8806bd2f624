// SPDX-License-Identifier: Apache-2.0
// Which chunks answer a query best; for Index::search.
#pragma once
#include <vector>

#include "base/sqlite.h"
#include "codesearch/hit.h"
#include "codesearch/query.h"

namespace kp::codesearch {

/// The best first, at most two of one file.
Result<std::vector<Hit>> best_hits(Sqlite& database, const Query& query, int limit);

}  // namespace kp::codesearch
