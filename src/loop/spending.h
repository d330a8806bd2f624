// SPDX-License-Identifier: Apache-2.0
// What the models of a run have used, from one process to the next.
#pragma once
#include <string>

#include "propose/proposer.h"
#include "store/run_store.h"

namespace kp::loop {

/// What a proposer that is called `proposer` has to know to go on where the run was.
Result<propose::Past> read_past(store::RunStore& store, const std::string& proposer);

/// What came to `before` until `now`.
store::SpendingRecord spent_since(const llm::Spending& before, const llm::Spending& now);

}  // namespace kp::loop
