// SPDX-License-Identifier: Apache-2.0
// Records to rows and back; used by run_store.cc alone.
#pragma once
#include <string>

#include "store/run_store.h"

namespace kp::store {

/// Inserts the record and its event; the caller holds the transaction.
Result<void> insert(Sqlite& database, const Record& record);
/// The record of an event; kCorrupt when it is missing or does not parse.
Result<Record> fetch(Sqlite& database, const std::string& kind, std::int64_t ref);

}  // namespace kp::store
