// SPDX-License-Identifier: Apache-2.0
// What stays open between calls: devices with their processes, compilers, and the harnesses of the
// runs that were worked on last, so that a warm device judges the next candidate.
#pragma once
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loop/harness_judge.h"
#include "loop/workshop.h"
#include "mcp/call_watcher.h"
#include "mcp/tool.h"

namespace kp::mcp {

/// What the server was started with.
struct Setup {
  std::string device;            // where nothing else says one; empty: the first that works
  std::vector<Path> code_roots;  // to search in, and whose headers candidates may include
  std::string version;           // of the program, for run.db
};

/// For the thread of slow calls alone: a device's processes die with the thread that opened it.
class Workplace {
 public:
  explicit Workplace(Setup setup) : setup_(std::move(setup)) {}
  const Setup& setup() const { return setup_; }

  /// While it lives, what devices and compilers do ends soon after the call is cancelled. Then all
  /// is closed: what was cut short may be in any state.
  class Shift {
   public:
    Shift(Workplace& place, Call& call);
    Shift(const Shift&) = delete;
    Shift& operator=(const Shift&) = delete;
    ~Shift();

   private:
    Workplace& place_;
    Call& call_;
  };

  /// `device` as open_device understands it.
  Result<loop::Bench> bench(const std::string& device);
  /// Valid until the next call. Takes the task out of `stored` when it is not open yet.
  Result<loop::Workshop*> for_run(loop::StoredRun& stored);
  Result<loop::Workshop*> for_task(Task task, const std::string& device);

 private:
  struct Place {
    std::string key;
    loop::Workshop shop;
  };
  loop::Workshop* find(const std::string& key);
  loop::Workshop* keep(std::string key, loop::Workshop shop);

  Setup setup_;
  std::optional<StopFlag> stop_{std::in_place};  // that all devices know; made anew for each shift
  std::map<std::string, loop::Bench> benches_;   // by the name that was asked for
  std::list<Place> places_;                      // newest first
};

/// A run with those who judge in it, for the time of one call.
class Sitting {
 public:
  static Result<std::unique_ptr<Sitting>> open(Workplace& place, loop::StoredRun stored,
                                               Call& call);
  loop::LiveRun& run() { return run_; }
  loop::Judge& judge() { return judge_; }
  CallWatcher& watcher() { return watcher_; }

 private:
  Sitting(loop::LiveRun run, loop::Workshop& shop, Call& call)
      : run_(std::move(run)), judge_(*shop.harness, *shop.device), watcher_(call) {}
  loop::LiveRun run_;
  loop::HarnessJudge judge_;
  CallWatcher watcher_;
};

}  // namespace kp::mcp
