// SPDX-License-Identifier: Apache-2.0
// A run on disk: run.db in the run's folder, append-only (docs/store.md). Each write is one
// transaction, so that kill -9 at any moment loses at most the evaluation in flight.
#pragma once
#include <optional>
#include <vector>

#include "base/sqlite.h"
#include "model/experience.h"
#include "store/lease.h"
#include "store/records.h"

namespace kp::store {

class RunStore {
 public:
  /// A new run in `folder` (made if needed) with its lease. kInvalidInput when there is a run
  /// already.
  static Result<RunStore> create(const Path& folder, const Meta& meta);
  /// An existing run to go on with alone (kBusy), or to look at.
  static Result<RunStore> open(const Path& folder, Sqlite::Access access);
  /// An existing run to add to beside others; kBusy while somebody drives it alone.
  static Result<RunStore> share(const Path& folder);

  Result<Meta> meta();
  /// Adds what is not known yet; a key that is there keeps its value.
  Result<void> remember(const Meta& meta);

  /// Adds a row to what was spent; a change of its own.
  Result<void> spend(const SpendingRecord& spent);
  /// In order; none of a run whose program did not count.
  Result<std::vector<SpendingRecord>> spending();

  /// A change that others see whole or not at all. While it is open nobody else writes: what is
  /// read in it stays true until it is committed. kBusy when others write for too long.
  Result<Transaction> change() { return Transaction::begin(database_); }
  /// Inserts in the change that is open; ids of asks and proposals are chosen by the caller and
  /// must be new.
  Result<void> insert(const Record& record);
  /// A change of one record.
  Result<void> append(const Record& record);

  /// What happened after event `after` (0: everything), in order, without long texts; what the
  /// search never hears of (notes, judgements at full depth, endings) is left out.
  Result<std::vector<Event>> events(std::int64_t after);
  /// kCorrupt when it is not there.
  Result<ProposalRecord> proposal(int id);
  /// With what was learned of it later.
  Result<NodeRecord> node(int id);
  /// The children of a node, in order.
  Result<std::vector<TrialLine>> tried_at(int node);
  /// Everything, in the order in which it happened.
  Result<std::vector<Record>> history();
  /// Of the nodes after `after`.
  Result<std::vector<LedgerLine>> ledger(int after = -1);
  /// What was tried with what outcome, of the nodes after `after`; evaluations are not parsed. None
  /// of a run that was written before there were any and not gone on with.
  Result<std::vector<Experience>> experiences(int after = -1);
  /// What is known of `node`, or of the nearest version above it of which anything is.
  Result<std::optional<Diagnosis>> diagnosis_near(int node);
  const Path& folder() const { return folder_; }

 private:
  RunStore(Path folder, Sqlite database, std::optional<Lease> lease)
      : folder_(std::move(folder)), database_(std::move(database)), lease_(std::move(lease)) {}
  static Result<RunStore> open(const Path& folder, Sqlite::Access access,
                               std::optional<Lease> lease);
  Path folder_;
  Sqlite database_;
  std::optional<Lease> lease_;
};

}  // namespace kp::store
