// SPDX-License-Identifier: Apache-2.0
#include "suite/audit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "base/text.h"
#include "report/diff.h"
#include "report/text.h"

namespace kp::suite {
namespace {

constexpr std::string_view kCensus = "kp__sass_";  // metrics of the machine code

std::string fenced(std::string_view text) {
  return fmt::format("```\n{}{}```\n\n", text, text.ends_with('\n') ? "" : "\n");
}

std::string meta_of(const report::RunView& run, const std::string& key) {
  const auto found = run.meta.find(key);
  return found == run.meta.end() ? "unknown" : found->second;
}

/// What the profile counted in the machine code of each kernel.
std::string census_of(const Profile& profile) {
  std::string text;
  for (const KernelProfile& kernel : profile.kernels) {
    for (const auto& [name, metric] : kernel.metrics.all()) {
      if (!name.starts_with(kCensus)) continue;
      text += fmt::format("{}  {} = {:g} ({})\n", kernel.kernel, name, metric.value,
                          name_of(metric.grade));
    }
  }
  return text.empty() ? "unknown: the profile of the version holds no counts of machine code\n"
                      : text;
}

std::string yardstick_lines(const RunResult& run) {
  std::string text;
  std::vector<std::string> names{kOwnBaseline};
  names.insert(names.end(), kTorchModes.begin(), kTorchModes.end());
  for (const Yardstick& one : run.yardsticks) {
    if (std::find(names.begin(), names.end(), one.name) == names.end()) names.push_back(one.name);
  }
  names.emplace_back("fastest");
  for (const std::string& name : names)
    text += fmt::format("- over {}: {}\n", name, ratio_text(speedup_over(run, name)));
  return text + "\n";
}

std::string list_or(const std::vector<std::string>& texts, std::string_view none) {
  return texts.empty() ? std::string(none) : join(texts, ", ");
}

std::string how_to_reproduce(const report::RunView& view, const RunResult& run) {
  const std::string from =
      view.meta.contains("from") ? fmt::format(" --from {}", meta_of(view, "from")) : "";
  return fmt::format(
      "    kernelpro eval {} best.cu{} --device {} --seed 2\n    {}\n    kernelpro explain RUN "
      "{}\n\n"
      "RUN is {}; program {}, compiler {}, of {}.\n\n",
      meta_of(view, "task"), from, run.device, meta_of(view, "command"), run.best->node,
      run.folder.string(), meta_of(view, "version"), meta_of(view, "compiler"),
      meta_of(view, "date"));
}

std::string page(const report::RunView& view, const RunResult& run) {
  const report::NodeView& best = view.at(run.best->node);
  const Measured& measured = *best.final->measured();
  std::string text = fmt::format("# {}\n\n", to_string(run.key));
  text += fmt::format("{} on {}; every time below is {}.\n\n", run.device, run.product,
                      name_of(run.best->grade));
  text += "## Verdict at full depth\n\n" + fenced(report::text_of(*best.final));
  text += yardstick_lines(run);
  text += fmt::format("## Labels\n\nkind of win: {}\n\nlevel: {}\n\nto look at: {}\n\n",
                      list_or(run.best->labels, "unknown"), run.best->level.value_or("unknown"),
                      list_or(run.best->remarks, "nothing was noted"));
  const Measured* quick = best.node.evaluation ? best.node.evaluation->measured() : nullptr;
  text += "## Machine code\n\n" + fenced(census_of(quick ? quick->profile : measured.profile));
  text += "## Evidence\n\n";
  text += fenced(report::explanation(view, run.best->node));
  text += "## The change\n\nchange.diff is from baseline.cu to best.cu.\n\n";
  text += "## How to reproduce\n\n" + how_to_reproduce(view, run);
  text +=
      "## For the auditor\n\n- [ ] computes what the task says, for all inputs\n- [ ] the work is "
      "all done, inside the timed launches\n- [ ] the precision is the declared one\n- [ ] the "
      "label "
      "is right\n- [ ] the speedup is plausible against the roof\n";
  return text;
}

Result<void> lay_out_one(const Results& results, const RunResult& run, const Path& folder) {
  KP_TRY(const auto view, report::read_run(results.folder / run.folder));
  const report::NodeView& best = view.at(run.best->node);
  const report::NodeView& root = view.at(0);
  if (!best.proposal || !best.final || !best.final->measured()) {
    return fail(ErrorCode::kCorrupt, fmt::format("{} lacks its best version", run.folder.string()));
  }
  const std::string before = root.proposal ? root.proposal->source : "";
  KP_TRY_VOID(make_folder(folder));
  KP_TRY_VOID(write_file(folder / "baseline.cu", before));
  KP_TRY(const std::string standalone, read_text(results.folder / run.folder / "best.cu"));
  KP_TRY_VOID(write_file(folder / "best.cu", standalone));
  KP_TRY(const std::string change, report::unified_diff(before, best.proposal->source));
  KP_TRY_VOID(write_file(folder / "change.diff", change));
  return write_file(folder / "README.md", page(view, run));
}

std::string folder_name(std::size_t number, const RunKey& key) {
  const std::string arm = key.arm == kOnlyArm ? "" : "-" + key.arm;
  return fmt::format("{:02}-{}{}-seed-{}", number, key.task, arm, key.seed);
}

}  // namespace

std::vector<RunResult> draw_winners(const std::vector<RunResult>& runs, std::size_t count,
                                    std::uint64_t seed) {
  std::vector<RunResult> winners;
  for (const RunResult& run : runs) {
    const bool won = !run.quarantined && run.best && run.best->node > 0;
    if (won && run.best->speedup.value_or(2) > 1) winners.push_back(run);
  }
  Random random(seed);
  for (std::size_t i = 0; i + 1 < winners.size(); ++i) {
    std::swap(winners[i], winners[i + random.below(winners.size() - i)]);
  }
  winners.resize(std::min(count, winners.size()));
  return winners;
}

Result<void> lay_out(const Results& results, const std::vector<RunResult>& winners,
                     const Path& folder) {
  std::string index = fmt::format("# {} winners of {}\n\n", winners.size(), results.name);
  index += "| run | speedup over plan | evidence | label |\n|---|---|---|---|\n";
  for (std::size_t i = 0; i < winners.size(); ++i) {
    const RunResult& run = winners[i];
    const std::string name = folder_name(i + 1, run.key);
    KP_TRY_VOID(lay_out_one(results, run, folder / name).within(to_string(run.key)));
    index += fmt::format("| [{}]({}/README.md) | {} | {} | {} |\n", to_string(run.key), name,
                         ratio_text(run.best->speedup), name_of(run.best->grade),
                         list_or(run.best->labels, "unknown"));
  }
  return write_file(folder / "README.md", index);
}

}  // namespace kp::suite
