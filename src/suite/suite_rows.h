// SPDX-License-Identifier: Apache-2.0
// Results to rows and back; for suite_store.cc.
#pragma once
#include <map>
#include <vector>

#include "base/sqlite.h"
#include "suite/records.h"

namespace kp::suite {

/// The caller holds the transaction.
Result<void> insert(Sqlite& database, const RunResult& result);
/// The newest of each run.
Result<std::map<RunKey, RunResult>> read_results(Sqlite& database);
/// kCorrupt when it is none.
Result<Grade> grade_from(const std::string& name);

}  // namespace kp::suite
