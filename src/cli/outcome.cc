// SPDX-License-Identifier: Apache-2.0
#include "cli/outcome.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/command.h"
#include "cli/workshop.h"
#include "report/markdown.h"

namespace kp::cli {
namespace {

nlohmann::json to_json(const loop::Ending& ending, const Path& folder) {
  nlohmann::json json{{"run", folder.string()},
                      {"evidence", name_of(ending.grade)},
                      {"evaluations", ending.evaluations},
                      {"report", (folder / "report.md").string()},
                      {"stopped_because", ending.reason.rule},
                      {"stopped_because_text", ending.reason.sentence}};
  if (ending.best < 0) {
    for (const char* key : {"speedup", "best", "best_node", "baseline_ns", "best_ns"}) {
      json[key] = nullptr;
    }
    return json;
  }
  json["speedup"] = ending.speedup;
  json["best"] = ending.best_file.string();
  json["best_node"] = ending.best;
  json["baseline_ns"] = ending.baseline_ns;
  json["best_ns"] = ending.best_ns;
  return json;
}

std::string next_step(const loop::Ending& ending, const Path& folder) {
  if (ending.reason.rule == "interrupted") {
    return fmt::format("next: kernelpro resume {}", folder.string());
  }
  if (ending.best < 0) return fmt::format("next: kernelpro show {}", folder.string());
  return fmt::format("next: kernelpro explain {} {}", folder.string(), ending.best);
}

std::string result_text(const loop::Ending& ending, const Terminal& terminal) {
  if (ending.best < 0) return "no correct version was found\n";
  std::string text = terminal.bold(fmt::format("{:.2f}x", ending.speedup)) +
                     fmt::format("  {} -> {}  {}\n", format_duration_ns(ending.baseline_ns),
                                 format_duration_ns(ending.best_ns), ending.best_file.string());
  if (ending.grade == Grade::kModelled) {
    text +=
        "The times are modelled by the virtual GPU: they rank versions, they are no "
        "measurement.\n";
  }
  return text;
}

std::string to_text(const loop::Ending& ending, const Path& folder, const Terminal& terminal) {
  return fmt::format("stopped after {} evaluation{}: {}\n", ending.evaluations,
                     ending.evaluations == 1 ? "" : "s", ending.reason.sentence) +
         result_text(ending, terminal) +
         fmt::format("report: {}\n", (folder / "report.md").string()) + next_step(ending, folder);
}

}  // namespace

void note_start(const loop::Undertaking& undertaking, const Path& folder, Terminal& terminal) {
  const loop::Settings& settings = undertaking.settings();
  terminal.note(fmt::format("{} on {}, proposals by {}; the run is kept in {}",
                            undertaking.task().name, settings.device, settings.proposer,
                            folder.string()));
  note_doubts(undertaking.task(), terminal);
}

Result<int> report_ending(const loop::Ending& ending, const Path& folder, bool json,
                          Terminal& terminal) {
  KP_TRY(const auto view, report::read_run(folder));
  KP_TRY_VOID(write_file(folder / "report.md", report::markdown(view)));
  if (json) {
    terminal.print_json(to_json(ending, folder));
  } else {
    terminal.print(to_text(ending, folder, terminal));
  }
  return ending.reason.rule == "interrupted" ? kInterrupted : kDone;
}

}  // namespace kp::cli
