// SPDX-License-Identifier: Apache-2.0
#include "loop/spending.h"

namespace kp::loop {

Result<propose::Past> read_past(store::RunStore& store, const std::string& proposer) {
  KP_TRY(const auto rows, store.spending());
  propose::Past past;
  for (const store::SpendingRecord& row : rows) {
    llm::Spending& all = past.spent;
    all.calls += row.calls;
    all.tokens += row.tokens;
    all.dollars =
        all.dollars && row.dollars ? std::optional(*all.dollars + *row.dollars) : std::nullopt;
    all.estimated = all.estimated || row.estimated;
    if (row.proposer == proposer) past.replies += static_cast<std::size_t>(row.calls);
  }
  return past;
}

store::SpendingRecord spent_since(const llm::Spending& before, const llm::Spending& now) {
  store::SpendingRecord spent;
  spent.calls = now.calls - before.calls;
  spent.tokens = now.tokens - before.tokens;
  if (now.dollars && before.dollars) spent.dollars = *now.dollars - *before.dollars;
  spent.estimated = now.estimated;
  return spent;
}

}  // namespace kp::loop
