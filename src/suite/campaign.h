// SPDX-License-Identifier: Apache-2.0
// All runs of a suite that are not finished, on all its devices.
#pragma once
#include <string>

#include "base/stop.h"
#include "suite/records.h"
#include "suite/suite.h"
#include "suite/suite_store.h"

namespace kp::suite {

/// Is told what happens; one call at a time, from any thread.
class Spectator {
 public:
  virtual ~Spectator() = default;
  virtual void begun(const RunKey& key, const std::string& device) = 0;
  virtual void judged(const RunKey& key, const store::NodeRecord& node) = 0;
  virtual void ended(const RunResult& result) = 0;
  /// The world failed; the run is tried again the next time.
  virtual void failed(const RunKey& key, const Error& error) = 0;
};

struct CampaignOptions {
  int jobs = 1;      // runs at a time on a virtual device; a GPU has one
  std::string only;  // a pattern of task names; empty: all
  Spectator* spectator = nullptr;
};

/// Of the runs that `only` lets through.
struct CampaignTally {
  int finished = 0, quarantined = 0;  // those of earlier calls among them
  int failed = 0;
  int left = 0;  // because of the stop flag
};

/// The runs that are to be driven: wanted by `suite`, let through by `only`, without a result that
/// stands. Who was in quarantine is tried again, for the task may have been mended.
Result<std::vector<WantedRun>> runs_to_drive(const Suite& suite, SuiteStore& store,
                                             const std::string& only);

/// Errors: no device, no compiler, a store that cannot be written. Failures of single runs are
/// counted.
Result<CampaignTally> run_campaign(const Suite& suite, SuiteStore& store,
                                   const CampaignOptions& options, const StopFlag& stop);

}  // namespace kp::suite
