// SPDX-License-Identifier: Apache-2.0
// Records to rows and back; for run_store.cc and events.cc.
#pragma once
#include <optional>
#include <string>

#include "store/run_store.h"

namespace kp::store {

/// Inserts the record and its event; the caller holds the transaction.
Result<void> insert(Sqlite& database, const Record& record);
/// The record of an event; kCorrupt when it is missing or does not parse.
Result<Record> fetch(Sqlite& database, const std::string& kind, std::int64_t ref);
/// The events after `after`, summarised.
Result<std::vector<Event>> read_events(Sqlite& database, std::int64_t after);

std::optional<int> integer_or_null(const Statement& row, int column);
/// kCorrupt when it is no JSON object of integers.
Result<Bindings> bindings_from(const std::string& text);
/// What is wrong when an event has no row.
tl::unexpected<Error> missing_row(std::string_view kind, std::int64_t ref);

}  // namespace kp::store
