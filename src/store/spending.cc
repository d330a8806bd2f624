// SPDX-License-Identifier: Apache-2.0
#include "assets/store_spending.h"
#include "store/run_store.h"

namespace kp::store {

Result<void> RunStore::spend(const SpendingRecord& spent) {
  KP_TRY(auto change, this->change());
  KP_TRY_VOID(database_.execute(std::string(assets::store_spending)));
  KP_TRY(auto row, database_.prepare("INSERT INTO spending (ask, proposer, calls, tokens, dollars, "
                                     "estimated) VALUES (?, ?, ?, ?, ?, ?)"));
  row.bind(std::int64_t{spent.ask}).bind(std::string_view(spent.proposer));
  row.bind(spent.calls).bind(spent.tokens).bind(spent.dollars).bind(std::int64_t{spent.estimated});
  KP_TRY_VOID(row.run());
  return change.commit();
}

Result<std::vector<SpendingRecord>> RunStore::spending() {
  std::vector<SpendingRecord> list;
  KP_TRY(auto table, database_.prepare("SELECT 1 FROM sqlite_master WHERE name = 'spending'"));
  KP_TRY(const bool there, table.step());
  if (!there) return list;
  KP_TRY(auto row, database_.prepare("SELECT ask, proposer, calls, tokens, dollars, estimated "
                                     "FROM spending ORDER BY id"));
  while (true) {
    KP_TRY(const bool more, row.step());
    if (!more) return list;
    list.push_back({static_cast<int>(row.integer(0)), row.text(1), row.integer(2), row.integer(3),
                    std::nullopt, row.integer(5) != 0});
    if (!row.null(4)) list.back().dollars = row.real(4);
  }
}

}  // namespace kp::store
