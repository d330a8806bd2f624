// SPDX-License-Identifier: Apache-2.0
#include "suite/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "build/build.h"
#include "suite/one_run.h"

namespace kp::suite {
namespace {

/// A run that waits, and the device that it was begun on.
struct Waiting {
  WantedRun run;
  std::string device;  // empty: any
};

/// The device that judged what there is of the run; empty when nothing was judged.
std::string begun_on(const Path& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder / "run.db", error)) return "";
  auto store = store::RunStore::open(folder, Sqlite::Access::kRead);
  const auto meta = store ? store->meta() : Result<store::Meta>(store::Meta());
  return meta ? loop::device_of(*meta) : "";
}

/// What the threads of a campaign share; every method takes the lock.
class Desk {
 public:
  Desk(SuiteStore& store, const CampaignOptions& options, std::vector<WantedRun> runs)
      : store_(store), spectator_(options.spectator) {
    for (WantedRun& run : runs) {
      std::string device = begun_on(folder_of(store.folder(), run.key));
      waiting_.push_back({std::move(run), std::move(device)});
    }
  }

  /// The next run for a device, with the seconds that were worked on it before.
  std::optional<std::pair<WantedRun, double>> take(const std::string& device) {
    const std::lock_guard lock(mutex_);
    if (fault_) return std::nullopt;
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) {
      return one.device.empty() || one.device == device;
    });
    if (found == waiting_.end()) return std::nullopt;
    WantedRun run = std::move(found->run);
    waiting_.erase(found);
    const auto moments = store_.moments(run.key);
    const double before = moments && !moments->empty() ? moments->back().second : 0;
    if (spectator_) spectator_->begun(run.key, device);
    return std::pair(std::move(run), before);
  }

  Result<void> judged(const RunKey& key, const store::NodeRecord& node, double seconds) {
    const std::lock_guard lock(mutex_);
    if (spectator_) spectator_->judged(key, node);
    return store_.append_moment(key, node.id, seconds);
  }

  void done(const RunKey& key, Result<RunOutcome> outcome) {
    const std::lock_guard lock(mutex_);
    if (!outcome) return failed(key, outcome.error());
    auto* result = std::get_if<RunResult>(&*outcome);
    if (!result) {
      ++stopped_;
      return;
    }
    if (auto kept = keep(*result); !kept) {
      fault_ = kept.error();
      return;
    }
    if (spectator_) spectator_->ended(*result);
  }

  /// What no device of the suite may go on with.
  void give_up_stranded() {
    const std::lock_guard lock(mutex_);
    for (const Waiting& one : std::exchange(waiting_, {})) {
      failed(one.run.key,
             Error{ErrorCode::kUnavailable,
                   fmt::format("the run was begun on {}, which is none of the devices", one.device),
                   "name it among the devices, or choose another --out",
                   {},
                   {}});
    }
  }

  // When no thread works any more.
  int failures() const { return failures_; }
  int left() const { return stopped_ + static_cast<int>(waiting_.size()); }
  const std::optional<Error>& fault() const { return fault_; }

 private:
  Result<void> keep(RunResult& result) {
    if (!result.quarantined) {
      KP_TRY(const auto moments, store_.moments(result.key));
      const std::map<int, double> seconds(moments.begin(), moments.end());
      for (Point& point : result.points) {
        if (const auto at = seconds.find(point.node); at != seconds.end()) {
          point.seconds = at->second;
        }
      }
    }
    return store_.append(result);
  }

  void failed(const RunKey& key, const Error& error) {
    ++failures_;
    if (spectator_) spectator_->failed(key, error);
  }

  std::mutex mutex_;
  SuiteStore& store_;
  Spectator* spectator_;
  std::deque<Waiting> waiting_;
  int failures_ = 0, stopped_ = 0;
  std::optional<Error> fault_;  // of the store: nothing more can be kept
};

/// One device and the compilers of the arms, for one thread.
class Station {
 public:
  explicit Station(std::shared_ptr<device::Device> device) : device_(std::move(device)) {}

  void work(Desk& desk, const Suite& suite, const Path& folder, const StopFlag& stop) {
    while (!stop.requested()) {
      auto next = desk.take(device_->describe().name);
      if (!next) return;
      const RunKey key = next->first.key;
      const auto arm = std::find_if(suite.arms.begin(), suite.arms.end(),
                                    [&](const Arm& one) { return one.name == key.arm; });
      const RunHooks hooks{
          [&](const store::NodeRecord& node, double seconds) {
            return desk.judged(key, node, seconds);
          },
          [&](const Task& task) { return torch_times(task, entry_of(suite, key.task), stop); }};
      const RunOrder order{*arm, std::move(next->first), folder, next->second};
      auto bench = bench_for(*arm);
      desk.done(key, bench ? drive(order, *bench, hooks, stop)
                           : Result<RunOutcome>(tl::unexpected<Error>(bench.error())));
    }
  }

 private:
  static const TaskEntry& entry_of(const Suite& suite, const std::string& name) {
    return *std::find_if(suite.tasks.begin(), suite.tasks.end(),
                         [&](const TaskEntry& one) { return one.name == name; });
  }
  const TimedByTorch& torch_times(const Task& task, const TaskEntry& entry, const StopFlag& stop) {
    const auto known = timed_.find(entry.name);
    if (known != timed_.end()) return known->second;
    return timed_[entry.name] = time_by_torch(task, entry.baselines, device_->describe(), stop);
  }
  Result<loop::Bench> bench_for(const Arm& arm) {
    auto& builder = builders_[arm.name];
    if (!builder) {
      KP_TRY(auto opened,
             build::Builder::open({.code_roots = arm.settings.proposer_options.code_roots}));
      builder = std::make_shared<build::Builder>(std::move(opened));
    }
    return loop::Bench{device_, builder};
  }

  std::shared_ptr<device::Device> device_;
  std::map<std::string, std::shared_ptr<build::Builder>> builders_;  // by arm
  std::map<std::string, TimedByTorch> timed_;                        // by task
};

/// A station for each GPU, and as many as there are jobs for each virtual one.
Result<std::vector<Station>> open_stations(const Suite& suite, int jobs, const StopFlag& stop) {
  std::vector<Station> stations;
  for (const std::string& name : suite.devices) {
    int count = 1;
    for (int i = 0; i < count; ++i) {
      KP_TRY(auto device, device::open_device(name, &stop));
      for (const Arm& arm : suite.arms) KP_TRY_VOID(loop::harness_options(arm.settings, *device));
      if (device->describe().timing == Grade::kModelled) count = jobs;
      stations.emplace_back(std::move(device));
    }
  }
  return stations;
}

/// A proposer that cannot be made is no task's fault, and no reason to begin.
Result<void> check_proposers(const Suite& suite) {
  for (const Arm& arm : suite.arms) {
    const auto& options = arm.settings.proposer_options;
    auto resolved = propose::resolved(options);
    if (!resolved) {
      return tl::unexpected<Error>(std::move(resolved).error().within("arm " + arm.name));
    }
    auto made = propose::make_proposer(arm.settings.proposer, *resolved);
    if (!made) return tl::unexpected<Error>(std::move(made).error().within("arm " + arm.name));
  }
  return {};
}

Result<CampaignTally> tally_of(const Suite& suite, SuiteStore& store, const std::string& only) {
  CampaignTally tally;
  KP_TRY(const auto results, store.results());
  const auto counts = [&](const RunKey& key) {
    const auto named = [&](const TaskEntry& task) { return task.name == key.task; };
    return (only.empty() || fits(only, key.task)) &&
           std::any_of(suite.tasks.begin(), suite.tasks.end(), named);
  };
  for (const RunResult& result : results) {
    if (counts(result.key)) ++(result.quarantined ? tally.quarantined : tally.finished);
  }
  return tally;
}

Result<void> quarantine(const Suite& suite, SuiteStore& store, std::vector<WantedRun>& runs) {
  KP_TRY(const auto results, store.results());
  std::map<RunKey, std::string> known;
  for (const RunResult& result : results) known[result.key] = result.reason;
  std::vector<WantedRun> rest;
  for (WantedRun& run : runs) {
    const auto reason = suite.quarantined(run.key.task);
    if (!reason) {
      rest.push_back(std::move(run));
      continue;
    }
    if (known[run.key] == *reason) continue;
    RunResult result;
    result.key = run.key;
    result.quarantined = true;
    result.reason = *reason;
    KP_TRY_VOID(store.append(result));
  }
  runs = std::move(rest);
  return {};
}

}  // namespace

Result<std::vector<WantedRun>> runs_to_drive(const Suite& suite, SuiteStore& store,
                                             const std::string& only) {
  KP_TRY(const auto results, store.results());
  std::map<RunKey, bool> finished;
  for (const RunResult& result : results) finished[result.key] = !result.quarantined;
  std::vector<WantedRun> runs;
  // Arms side by side, so that what a call leaves undone can be compared all the same.
  for (const TaskEntry& task : suite.tasks) {
    if (!only.empty() && !fits(only, task.name)) continue;
    for (const std::uint64_t seed : suite.seeds) {
      for (const Arm& arm : suite.arms) {
        RunKey key{arm.name, task.name, seed};
        if (!finished[key]) runs.push_back({std::move(key), task.path, task.from});
      }
    }
  }
  return runs;
}

Result<CampaignTally> run_campaign(const Suite& suite, SuiteStore& store,
                                   const CampaignOptions& options, const StopFlag& stop) {
  KP_TRY_VOID(check_proposers(suite));
  KP_TRY(auto runs, runs_to_drive(suite, store, options.only));
  KP_TRY_VOID(quarantine(suite, store, runs));
  const int wanted = static_cast<int>(runs.size());
  Desk desk(store, options, std::move(runs));
  if (wanted > 0) {
    KP_TRY(auto stations, open_stations(suite, std::min(options.jobs, wanted), stop));
    std::vector<std::jthread> threads;
    for (Station& station : stations) {
      threads.emplace_back([&] { station.work(desk, suite, store.folder(), stop); });
    }
    threads.clear();  // waits for them
    if (!stop.requested() && !desk.fault()) desk.give_up_stranded();
  }
  if (desk.fault()) return tl::unexpected<Error>(*desk.fault());
  KP_TRY(CampaignTally tally, tally_of(suite, store, options.only));
  tally.failed = desk.failures();
  tally.left = desk.left();
  return tally;
}

}  // namespace kp::suite
