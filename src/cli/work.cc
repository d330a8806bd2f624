// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/workshop.h"
#include "loop/harness_judge.h"
#include "loop/worker.h"

namespace kp::cli {
namespace {

constexpr std::chrono::milliseconds kPause{200};  // between looks for new candidates, --wait

struct WorkOptions {
  std::string run, device;
  bool once = false, wait = false, json = false;
};

nlohmann::json to_json(const store::NodeRecord& node) {
  return {{"node", node.id},
          {"parent", node.parent ? nlohmann::json(*node.parent) : nlohmann::json()},
          {"proposal", *node.proposal},
          {"outcome", name_of(node.evaluation->outcome)},
          {"speedup", node.speedup ? nlohmann::json(*node.speedup) : nlohmann::json()},
          {"summary", summary(*node.evaluation)}};
}

/// Judges until nothing is pending, or as the options say.
Result<nlohmann::json> judge_pending(loop::Worker& worker, const WorkOptions& options,
                                     const StopFlag& stop) {
  nlohmann::json judged = nlohmann::json::array();
  while (!stop.requested()) {
    auto node = worker.step();
    if (!node && stop.requested()) break;  // cut short: it stays pending
    if (!node) return tl::unexpected<Error>(std::move(node).error());
    if (*node) judged.push_back(to_json(**node));
    if (*node ? options.once : !options.wait) break;
    if (!*node) std::this_thread::sleep_for(kPause);
  }
  return judged;
}

Result<int> work(const WorkOptions& options, Terminal& terminal) {
  const StopFlag& stop = stop_on_signals();
  KP_TRY(auto stored, loop::open_shared(options.run));
  KP_TRY(auto shop, open_workshop(stored, options.device, stop));
  note_doubts(shop.task(), terminal);
  KP_TRY(auto run, loop::LiveRun::open(std::move(stored.store), stored.settings, shop.task()));
  Progress progress(terminal, stored.settings.stop.budget);
  loop::HarnessJudge judge(*shop.harness, *shop.device);
  loop::Worker worker(run, judge, &progress);
  KP_TRY(const auto judged, judge_pending(worker, options, stop));
  const std::size_t pending = run.history().pending().size();
  if (options.json) {
    terminal.print_json({{"run", options.run}, {"judged", judged}, {"pending", pending}});
  } else {
    terminal.print(fmt::format("judged {}, {} pending\nnext: kernelpro show {}", judged.size(),
                               pending, options.run));
  }
  return stop.requested() ? kInterrupted : kDone;
}

}  // namespace

void add_work(CLI::App& app, Run& run) {
  auto options = std::make_shared<WorkOptions>();
  CLI::App* command = app.add_subcommand("work", "Judge the candidates that were handed in");
  command->add_option("run", options->run, "folder of the run")->required();
  command->add_option("--device", options->device, kDeviceHelp);
  auto* once = command->add_flag("--once", options->once, "one candidate at most");
  command->add_flag("--wait", options->wait, "wait for more until Ctrl-C")->excludes(once);
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer("Example:\n  kernelpro work runs/mine --device cuda --wait");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return work(*options, terminal); };
  });
}

}  // namespace kp::cli
