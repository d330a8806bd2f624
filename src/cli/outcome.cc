// SPDX-License-Identifier: Apache-2.0
#include "cli/outcome.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/command.h"
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
    json["speedup"] = nullptr;
    json["best"] = nullptr;
    return json;
  }
  json["speedup"] = ending.speedup;
  json["best"] = ending.best_file.string();
  json["best_node"] = ending.best;
  json["baseline_ns"] = ending.baseline_ns;
  json["best_ns"] = ending.best_ns;
  return json;
}

std::string to_text(const loop::Ending& ending, const Path& folder, const Terminal& terminal) {
  std::string text =
      fmt::format("stopped: {} ({} evaluations)\n", ending.reason.sentence, ending.evaluations);
  if (ending.best < 0) {
    return text +
           fmt::format("no correct version was found; see `kernelpro show {}`", folder.string());
  }
  text += terminal.bold(fmt::format("{:.2f}x", ending.speedup)) +
          fmt::format("  {} -> {}  {}", format_duration_ns(ending.baseline_ns),
                      format_duration_ns(ending.best_ns), ending.best_file.string());
  if (ending.grade == Grade::kModelled) {
    text +=
        "\nThe times are modelled by the virtual GPU: they rank versions, they are no measurement.";
  }
  text += fmt::format("\nreport: {}", (folder / "report.md").string());
  return text + fmt::format("\nnext: kernelpro explain {} {}", folder.string(), ending.best);
}

}  // namespace

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
