// SPDX-License-Identifier: Apache-2.0
#include "suite/harvest.h"

#include <cmath>
#include <map>

#include "store/run_store.h"
#include "suite/win_labels.h"
#include "task/task.h"

namespace kp::suite {
namespace {

using report::NodeView;
using report::RunView;

std::string meta_of(const RunView& run, const char* key) {
  const auto found = run.meta.find(key);
  return found == run.meta.end() ? "" : found->second;
}

/// Of the plan, and of the precision that it declares; absent when it cannot be read.
std::optional<Plan> plan_of(const NodeView& view) {
  if (!view.proposal) return std::nullopt;
  auto parsed = task::parse_plan(view.proposal->source, "candidate.cu");
  return parsed ? std::optional(std::move(parsed->plan)) : std::nullopt;
}

std::optional<std::string> level_of(const NodeView& view) {
  const auto plan = plan_of(view);
  return plan ? std::optional(std::string(name_of(plan->level))) : std::nullopt;
}

/// What models had used when each ask was answered.
class Bill {
 public:
  static Result<Bill> read(const Path& folder) {
    KP_TRY(auto store, store::RunStore::open(folder, Sqlite::Access::kRead));
    KP_TRY(const auto rows, store.spending());
    Bill bill;
    Total total;
    for (const store::SpendingRecord& row : rows) {
      total.tokens += row.tokens;
      total.dollars = total.dollars && row.dollars ? std::optional(*total.dollars + *row.dollars)
                                                   : std::nullopt;
      bill.after_[row.ask] = total;
    }
    return bill;
  }
  struct Total {
    std::int64_t tokens = 0;
    std::optional<double> dollars = 0;
  };
  /// Nothing where no model was asked in the whole run.
  std::optional<Total> until(int ask) const {
    if (after_.empty()) return std::nullopt;
    const auto later = after_.upper_bound(ask);
    return later == after_.begin() ? Total{} : std::prev(later)->second;
  }
  std::optional<Total> all() const {
    return after_.empty() ? std::nullopt : std::optional(after_.rbegin()->second);
  }

 private:
  std::map<int, Total> after_;  // by ask
};

std::vector<Point> points_of(const RunView& run, const EndedRun& context, const Bill& bill) {
  const std::map<int, double> seconds(context.moments.begin(), context.moments.end());
  std::vector<Point> points;
  for (const NodeView& view : run.nodes) {
    if (!view.node.evaluation) continue;
    Point point{static_cast<int>(points.size()) + 1, view.node.id,
                std::string(name_of(view.node.evaluation->outcome))};
    point.speedup = view.node.speedup;
    point.level = level_of(view);
    if (const auto at = seconds.find(view.node.id); at != seconds.end()) point.seconds = at->second;
    if (const auto spent = bill.until(view.ask ? view.ask->id : -1)) {
      point.tokens = spent->tokens;
      point.dollars = spent->dollars;
    }
    points.push_back(std::move(point));
  }
  return points;
}

/// What the diagnosis of the version says.
std::optional<double> headroom_of(const NodeView& view) {
  if (!view.node.diagnosis || !std::isfinite(view.node.diagnosis->headroom)) return std::nullopt;
  return view.node.diagnosis->headroom;
}

std::vector<std::string> remarks_of(const Measured& measured, const Evaluation& evaluation) {
  std::vector<std::string> remarks;
  for (const Label& label : measured.labels) remarks.push_back(label.name + ": " + label.text);
  if (!measured.deterministic) remarks.emplace_back("not deterministic");
  for (const std::string& note : evaluation.notes) remarks.push_back(note);
  return remarks;
}

std::string precision_of(const NodeView& view, const Task& task) {
  const auto plan = plan_of(view);
  const Precision declared = task.declaration.precision;
  return std::string(name_of(plan ? plan->precision.value_or(declared) : declared));
}

/// The node that passed at full depth, or nothing.
std::optional<Best> best_of(const RunView& run) {
  const int node = run.best();
  if (node < 0 || !run.at(node).final || !run.at(node).final->measured()) return std::nullopt;
  const NodeView& view = run.at(node);
  const Measured& measured = *view.final->measured();
  Best best;
  best.node = node;
  best.grade = measured.grade;
  best.nanoseconds = measured.nanoseconds;
  best.headroom = headroom_of(view);
  best.level = level_of(view);
  best.labels = win_labels(run, node);
  best.remarks = remarks_of(measured, *view.final);
  // Without a baseline, speedups in the run are over the first version that worked.
  if (!run.at(0).proposal) return best;
  best.speedup = run.speedup(node);
  if (const auto ratio = run.ratio(node)) {
    best.low = ratio->low;
    best.high = ratio->high;
  }
  return best;
}

/// What the task's own baseline took: as the best was held against it, else by itself.
std::optional<Yardstick> own_baseline(const RunView& run, const std::optional<Best>& best,
                                      const Task& task) {
  const NodeView& root = run.at(0);
  const Measured* alone = root.node.evaluation ? root.node.evaluation->measured() : nullptr;
  if (!root.proposal || !alone) return std::nullopt;
  Yardstick own{kOwnBaseline, precision_of(root, task), alone->grade, alone->nanoseconds};
  if (best && best->speedup) own.nanoseconds = best->nanoseconds * *best->speedup;
  return own;
}

/// What the screen of the task found: its results are of no use in a headline.
std::optional<std::string> screened_out(const RunView& run, const std::optional<Best>& best) {
  const std::optional<Evaluation>& judged = run.at(best ? best->node : 0).final;
  const Measured* measured = judged ? judged->measured() : nullptr;
  for (std::size_t i = 0; measured && i < measured->labels.size(); ++i) {
    const Label& label = measured->labels[i];
    if (label.name == "benchmark-degenerate" && label.text.starts_with("screened")) {
      return label.text;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<bool> has_ended(const Path& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder / "run.db", error)) return false;
  KP_TRY(auto store, store::RunStore::open(folder, Sqlite::Access::kRead));
  KP_TRY(const auto history, store.history());
  for (auto record = history.rbegin(); record != history.rend(); ++record) {
    const auto* ending = std::get_if<store::EndingRecord>(&*record);
    if (ending) return ending->rule != "interrupted";
  }
  return false;
}

Result<RunResult> harvest(const EndedRun& context, const Task& task) {
  KP_TRY(const RunView run, report::read_run(context.run_folder));
  KP_TRY(const Bill bill, Bill::read(context.run_folder));
  RunResult result;
  result.key = context.key;
  result.reason = run.ending ? run.ending->rule : "";
  result.device = meta_of(run, "device");
  result.product = meta_of(run, "product");
  result.task_digest = meta_of(run, "task_digest");
  result.folder = context.run_folder.lexically_relative(context.suite_folder);
  result.points = points_of(run, context, bill);
  result.evaluations = static_cast<int>(result.points.size());
  result.best = best_of(run);
  result.precision = precision_of(run.at(result.best ? result.best->node : 0), task);
  if (auto own = own_baseline(run, result.best, task)) {
    result.yardsticks.push_back(*std::move(own));
  }
  if (auto reason = screened_out(run, result.best)) {
    result.quarantined = true;
    result.reason = *std::move(reason);
  }
  result.seconds = context.seconds;
  if (const auto spent = bill.all()) {
    result.tokens = spent->tokens;
    result.dollars = spent->dollars;
  }
  return result;
}

}  // namespace kp::suite
