// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/command.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/workshop.h"
#include "loop/conclude.h"
#include "loop/harness_judge.h"

namespace kp::cli {
namespace {

struct FinishOptions {
  std::string run, device;
  bool json = false;
};

Result<int> finish(const FinishOptions& options, Terminal& terminal) {
  const StopFlag& stop = stop_on_signals();
  KP_TRY(auto stored, loop::open_alone(options.run));
  KP_TRY(auto shop, open_workshop(stored, options.device, stop));
  KP_TRY(auto run, loop::LiveRun::open(std::move(stored.store), stored.settings, shop.task()));
  if (!run.history().planted()) {
    return fail(ErrorCode::kInvalidInput, "nothing in the run was judged yet",
                "let `kernelpro work` judge what is pending");
  }
  Progress progress(terminal, stored.settings.stop.budget);
  loop::HarnessJudge judge(*shop.harness, *shop.device);
  KP_TRY(const auto ending,
         loop::conclude(run, judge, &progress, {"finished", "`finish` was called"}));
  return report_ending(ending, options.run, options.json, terminal);
}

}  // namespace

void add_finish(CLI::App& app, Run& run) {
  auto options = std::make_shared<FinishOptions>();
  CLI::App* command =
      app.add_subcommand("finish", "Judge the best of a run at full depth; write best.cu");
  command->add_option("run", options->run, "folder of the run")->required();
  command->add_option("--device", options->device, kDeviceHelp);
  command->add_flag("--json", options->json, "end with one JSON object on standard output");
  command->footer("Example:\n  kernelpro finish runs/mine");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return finish(*options, terminal); };
  });
}

}  // namespace kp::cli
