// SPDX-License-Identifier: Apache-2.0
// Which chunks are worth ranking: ranking reads each one's row, and words such as `tensor` stand in
// half of all chunks.
#pragma once
#include <string>

#include "base/sqlite.h"
#include "codesearch/query.h"

namespace kp::codesearch {

/// An expression of FTS5 that matches some thousand chunks at most where the words allow that, and
/// whose rank counts every word. Empty: no chunk has any of the words.
Result<std::string> expression_for(Sqlite& database, const Query& query);

}  // namespace kp::codesearch
