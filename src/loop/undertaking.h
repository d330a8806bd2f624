// SPDX-License-Identifier: Apache-2.0
// A run with all that it needs, from its settings to its ending: what optimize, resume and suites
// have in common.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "loop/conclude.h"
#include "loop/watcher.h"
#include "loop/workshop.h"
#include "propose/proposer.h"

namespace kp::loop {

class Undertaking {
 public:
  /// A new run of `task`, which the user wrote as `written`. Takes from `settings` all but the task
  /// and the device.
  static Result<Undertaking> begin(Settings settings, Task task, const std::string& written,
                                   const Bench& bench);
  /// A run that is there. kInvalidInput when it was judged on another device.
  static Result<Undertaking> go_on(StoredRun stored, const Bench& bench);

  const Settings& settings() const { return settings_; }
  const Task& task() const { return shop_.task(); }
  /// Drives the run in `folder` until a rule or `stop` ends it. `watcher` may be null.
  Result<Ending> run(const Path& folder, Watcher* watcher, const StopFlag& stop);

 private:
  Undertaking(Workshop shop, Settings settings, std::unique_ptr<propose::Proposer> proposer)
      : shop_(std::move(shop)), settings_(std::move(settings)), proposer_(std::move(proposer)) {}

  Workshop shop_;
  Settings settings_;
  std::unique_ptr<propose::Proposer> proposer_;
  std::optional<store::RunStore> store_;  // absent: a new run
};

}  // namespace kp::loop
