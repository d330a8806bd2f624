// SPDX-License-Identifier: Apache-2.0
// A run on disk: run.db in the run's folder, append-only (docs/store.md). Each write is one
// transaction, so that kill -9 at any moment loses at most the evaluation in flight.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/sqlite.h"
#include "model/evaluation.h"
#include "model/finding.h"
#include "model/task.h"
#include "store/lease.h"

namespace kp::store {

/// What a run was started with; strings, so that older and newer programs can read each other's
/// runs.
using Meta = std::map<std::string, std::string>;

struct AskRecord {
  int id = 0, node = 0;
  std::string role, why;
};
struct ProposalRecord {
  int id = 0;
  std::optional<int> ask;  // absent: the baseline
  std::string source;
  Bindings tune;
  std::string idea, tool, action;
  Gain predicted;
};
struct NodeRecord {
  int id = 0;
  std::optional<int> parent, proposal;
  std::string candidate;
  std::optional<Evaluation> evaluation;  // absent: virtual root
  std::optional<double> speedup;
  std::optional<Diagnosis> diagnosis;
};
struct CloseRecord {
  int ask = 0;
  bool exhausted = false;
};
/// What was learned later of a node that was chosen to be improved; the newest of a node counts.
struct ProfileRecord {
  int node = 0;
  Profile profile;
  Diagnosis diagnosis;
};
struct FinalRecord {
  int node = 0;
  Evaluation evaluation;
};
struct EndingRecord {
  std::string rule, sentence;
};
using Record = std::variant<AskRecord, ProposalRecord, NodeRecord, CloseRecord, ProfileRecord,
                            FinalRecord, EndingRecord>;

struct LedgerLine {
  int node = 0, parent = 0;
  std::string tool, action, outcome;
  Gain predicted;
  std::optional<double> gain;  // of the child over the parent, when both were measured
};

class RunStore {
 public:
  /// A new run in `folder` (made if needed) with its lease. kInvalidInput when there is a run
  /// already.
  static Result<RunStore> create(const Path& folder, const Meta& meta);
  /// An existing run to go on with, with its lease (kBusy), or to look at.
  static Result<RunStore> open(const Path& folder, Sqlite::Access access);

  Result<Meta> meta();
  /// Appends; ids of asks and proposals are chosen by the caller and must be new.
  Result<void> append(const Record& record);
  /// Everything, in the order in which it happened.
  Result<std::vector<Record>> history();
  Result<std::vector<LedgerLine>> ledger();
  const Path& folder() const { return folder_; }

 private:
  RunStore(Path folder, Sqlite database, std::optional<Lease> lease)
      : folder_(std::move(folder)), database_(std::move(database)), lease_(std::move(lease)) {}
  Path folder_;
  Sqlite database_;
  std::optional<Lease> lease_;
};

}  // namespace kp::store
