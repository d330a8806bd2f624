// SPDX-License-Identifier: Apache-2.0
// suite.db in the folder of a suite: append-only, every write one transaction. For one thread at a
// time.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/sqlite.h"
#include "store/lease.h"
#include "suite/records.h"
#include "suite/suite.h"

namespace kp::suite {

class SuiteStore {
 public:
  /// To add results of `suite`; makes the folder and the file where there are none. kBusy while
  /// another process does; kInvalidInput when an arm was run with other settings.
  static Result<SuiteStore> open(const Path& folder, const Suite& suite);
  /// To look at, or to add what no other process adds.
  static Result<SuiteStore> open(const Path& folder, Sqlite::Access access);

  /// Everything the suite asked for so far, in order.
  Result<std::vector<WantedRun>> wanted();
  /// The newest result of each run that has one, in the order of `wanted`.
  Result<std::vector<RunResult>> results();
  Result<void> append(const RunResult& result);
  /// A node of a run was judged `seconds` of work after its beginning.
  Result<void> append_moment(const RunKey& key, int node, double seconds);
  /// By node.
  Result<std::vector<std::pair<int, double>>> moments(const RunKey& key);
  Result<void> append(const Noise& noise);
  Result<std::vector<Noise>> noise();
  /// "name", "about".
  Result<std::string> meta(std::string_view key);

  const Path& folder() const { return folder_; }

 private:
  SuiteStore(Path folder, Sqlite database, std::optional<store::Lease> lease)
      : folder_(std::move(folder)), database_(std::move(database)), lease_(std::move(lease)) {}
  Result<void> enter(const Suite& suite);

  Path folder_;
  Sqlite database_;
  std::optional<store::Lease> lease_;
};

}  // namespace kp::suite
