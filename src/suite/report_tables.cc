// SPDX-License-Identifier: Apache-2.0
#include "suite/report_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kp::suite {
namespace {

constexpr const char* kUnknown = "unknown";

std::string seconds_text(const std::optional<double>& seconds) {
  return seconds ? format_duration_ns(*seconds * 1e9) : kUnknown;
}

std::string fast_text(const std::optional<Estimate>& share) {
  if (!share) return kUnknown;
  return fmt::format("{:.0f} % ({:.0f} to {:.0f})", 100 * share->value, 100 * share->interval.low,
                     100 * share->interval.high);
}

std::string title(const GroupFigures& figures, std::string_view what) {
  const std::string arm = figures.group.arm == kOnlyArm ? "" : figures.group.arm + ": ";
  return fmt::format("{}{} ({})", arm, what, grade_text(figures.group));
}

Table speedup_table(const GroupFigures& figures) {
  Table table{title(figures, "speedups"), {}, {"against", "tasks"}, {}};
  table.notes.push_back(fmt::format(
      "{} tasks, {} runs, {} with a version that passed at full depth. In parentheses 95 % "
      "intervals over tasks.",
      figures.tasks, figures.group.runs.size(), figures.solved));
  for (const double p : kFastP) table.columns.push_back(fmt::format("fast_{:g}", p));
  table.columns.insert(table.columns.end(), {"mean, failures as 1x", "mean, solved",
                                             fmt::format("mean, at most {:g}x", kCap)});
  for (const AgainstBaseline& one : figures.baselines) {
    std::vector<std::string> row{one.baseline,
                                 one.tasks == 0 ? kUnknown : fmt::format("{}", one.tasks)};
    for (const auto& share : one.fast) row.push_back(fast_text(share));
    for (const auto& mean : {one.failures_as_one, one.solved_only, one.capped}) {
      row.push_back(estimate_text(mean));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table roof_table(const GroupFigures& figures) {
  const RoofFigures& roof = figures.roof;
  Table table{title(figures, "the roof"), {}, {"figure", "value", "runs"}, {}};
  table.rows.push_back({"fraction of the roof reached, geometric mean", percent_text(roof.fraction),
                        fmt::format("{}", roof.runs)});
  table.rows.push_back({"share of the logarithmic headroom won, mean", percent_text(roof.log_share),
                        fmt::format("{}", roof.log_share_runs)});
  return table;
}

Table milestone_table(const GroupFigures& figures) {
  Table table{title(figures, "best so far"),
              {"Quick depth; runs that ended stay where they were. Wall clock and cost are medians "
               "over the runs."},
              {"evaluations", "runs", "best so far", "solved", "wall clock", "tokens", "cost",
               "raw", "cute", "cutlass", "library"},
              {}};
  for (const Milestone& mark : figures.milestones) {
    table.rows.push_back({fmt::format("{}", mark.evaluations), fmt::format("{}", mark.going),
                          ratio_text(mark.speedup), percent_text(mark.solved),
                          seconds_text(mark.seconds),
                          mark.tokens ? format_count(*mark.tokens) : "no model",
                          mark.dollars  ? fmt::format("${:.4g}", *mark.dollars)
                          : mark.tokens ? kUnknown
                                        : "no model",
                          percent_text(mark.raw), percent_text(mark.cute),
                          percent_text(mark.cutlass), percent_text(mark.library())});
  }
  return table;
}

Table label_table(const GroupFigures& figures) {
  Table table{title(figures, "kinds of wins"), {}, {"label", "runs"}, {}};
  for (const auto& [label, count] : figures.labels) {
    table.rows.push_back({label, fmt::format("{}", count)});
  }
  if (table.rows.empty()) table.notes.emplace_back("No run found anything faster.");
  return table;
}

std::string speedup_text(const RunResult& run) {
  if (!run.best) return "failed";
  std::string text = ratio_text(run.best->speedup);
  if (run.best->low && run.best->high) {
    text += fmt::format(" ({:.2f} to {:.2f})", *run.best->low, *run.best->high);
  }
  return text;
}

std::vector<std::string> run_row(const RunResult& run) {
  const Best* best = run.best ? &*run.best : nullptr;
  std::vector<std::string> row{run.key.task, fmt::format("{}", run.key.seed), speedup_text(run)};
  for (const char* other : {"eager", "compile", "fastest"}) {
    row.push_back(ratio_text(speedup_over(run, other)));
  }
  row.push_back(best && best->headroom ? percent_text(1 / *best->headroom) : kUnknown);
  row.push_back(!best                  ? ""
                : best->node == 0      ? "the baseline"
                : best->labels.empty() ? kUnknown
                                       : join(best->labels, ", "));
  row.push_back(best ? best->level.value_or(kUnknown) : "");
  row.push_back(fmt::format("{}", run.evaluations));
  row.push_back(seconds_text(run.seconds));
  row.push_back(run.reason);
  return row;
}

Table run_table(const GroupFigures& figures) {
  Table table{title(figures, "runs"),
              {},
              {"task", "seed", "over plan", "over eager", "over compile", "over fastest", "of roof",
               "label", "level", "evaluations", "wall clock", "ended by"},
              {}};
  for (const RunResult& run : figures.group.runs) table.rows.push_back(run_row(run));
  return table;
}

Table quarantine_table(const std::vector<RunResult>& runs) {
  Table table{"In quarantine, and in no mean", {}, {"arm", "task", "seed", "reason"}, {}};
  for (const RunResult& run : runs) {
    if (!run.quarantined) continue;
    table.rows.push_back({run.key.arm, run.key.task, fmt::format("{}", run.key.seed), run.reason});
  }
  return table;
}

Table noise_table(const std::vector<Noise>& noise) {
  Table table{"The baseline against itself", {}, {"task", "device", "grade", "ratio", "95 %"}, {}};
  for (const Noise& one : noise) {
    table.rows.push_back({one.task, one.device, std::string(name_of(one.grade)),
                          fmt::format("{:.4f}", one.ratio),
                          one.low && one.high ? fmt::format("{:.4f} to {:.4f}", *one.low, *one.high)
                                              : std::string("none: modelled")});
  }
  return table;
}

Table head_of(const Results& results) {
  Table table{results.name, {}, {}, {}};
  if (!results.about.empty()) table.notes.push_back(results.about);
  table.notes.push_back(fmt::format("{} of {} runs have a result; kept in {}.", results.runs.size(),
                                    results.wanted, results.folder.string()));
  return table;
}

}  // namespace

std::string estimate_text(const std::optional<Estimate>& estimate) {
  if (!estimate) return kUnknown;
  return fmt::format("{:.2f}x ({:.2f} to {:.2f})", estimate->value, estimate->interval.low,
                     estimate->interval.high);
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}x", *ratio) : kUnknown;
}

std::string percent_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} %", 100 * *share) : kUnknown;
}

std::string grade_text(const Group& group) {
  return fmt::format("{}, {}", group.product.empty() ? "device unknown" : group.product,
                     name_of(group.grade));
}

Result<Results> read_results(const Path& folder) {
  KP_TRY(auto store, SuiteStore::open(folder, Sqlite::Access::kRead));
  Results results;
  results.folder = folder;
  KP_TRY(results.name, store.meta("name"));
  KP_TRY(results.about, store.meta("about"));
  KP_TRY(const auto wanted, store.wanted());
  results.wanted = static_cast<int>(wanted.size());
  KP_TRY(results.runs, store.results());
  KP_TRY(results.noise, store.noise());
  return results;
}

std::vector<Table> report_tables(const Results& results) {
  std::vector<Table> tables{head_of(results)};
  for (Group& group : groups_of(results.runs)) {
    const GroupFigures figures = figures_of(std::move(group));
    for (const auto& make : {speedup_table, roof_table, milestone_table, label_table, run_table}) {
      tables.push_back(make(figures));
    }
  }
  if (auto table = quarantine_table(results.runs); !table.rows.empty()) tables.push_back(table);
  if (auto table = noise_table(results.noise); !table.rows.empty()) tables.push_back(table);
  return tables;
}

}  // namespace kp::suite
