// SPDX-License-Identifier: Apache-2.0
#include "cli/replay.h"

#include <fmt/format.h>

#include "cli/progress.h"
#include "llm/recording.h"
#include "loop/memory.h"
#include "loop/recorded_judge.h"
#include "loop/session.h"
#include "propose/proposer.h"

namespace kp::cli {
namespace {

constexpr std::string_view kReplay = "replay:";

/// The rewriter writes the same again; what a model said is in the recording.
Result<std::unique_ptr<propose::Proposer>> proposer_of(const loop::Settings& then,
                                                       const std::string& file) {
  propose::ProposerOptions options = then.proposer_options;
  options.record.clear();
  options.most_tokens = 0;
  options.most_cost = 0;
  const bool pure = then.proposer == "rewriter" || then.proposer.starts_with("scripted:");
  if (then.proposer.starts_with("command:")) {
    return fail(ErrorCode::kUnsupported, "the recording does not hold what the command said",
                "record a run whose proposer is a model or the rewriter");
  }
  return propose::make_proposer(pure ? then.proposer : std::string(kReplay) + file, options);
}

}  // namespace

std::optional<std::string> recording_of(const std::string& proposer) {
  if (!proposer.starts_with(kReplay)) return std::nullopt;
  return proposer.substr(kReplay.size());
}

Result<loop::Ending> replay(const Task& task, const std::string& file, const Path& folder,
                            const StopFlag& stop, Terminal& terminal) {
  KP_TRY(auto recording, llm::Recording::read(file));
  KP_TRY(const auto then, loop::read_run(*recording).within(file));
  KP_TRY_VOID(loop::check_same_task(then.meta, task));
  KP_TRY(auto proposer, proposer_of(then.settings, file));
  loop::Settings settings = then.settings;
  settings.proposer = std::string(kReplay) + file;
  settings.proposer_options.record.clear();
  settings.environment = then.meta;
  loop::ReplayedJudge judge(task, then.device, recording);
  Progress progress(terminal, settings.stop.budget);
  terminal.note(fmt::format("{} as recorded on {}, proposals by {}; the run is kept in {}",
                            task.name, then.device.name, then.settings.proposer, folder.string()));
  // Prompts must be those of then; older programs had no memory.
  const bool remembered = then.meta.contains("memory_scope");
  const loop::Recall recall = remembered ? loop::remembering() : loop::Recall();
  KP_TRY(auto session,
         loop::Session::start(settings, {judge, *proposer, &progress, recall}, folder));
  return session.run(stop);
}

}  // namespace kp::cli
