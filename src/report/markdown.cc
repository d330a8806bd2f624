// SPDX-License-Identifier: Apache-2.0
#include "report/markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/diff.h"
#include "report/text.h"

namespace kp::report {
namespace {

const Evaluation* judgement(const NodeView& view) {
  if (view.final) return &*view.final;
  return view.node.evaluation ? &*view.node.evaluation : nullptr;
}

const Measured* measured(const NodeView& view) {
  const Evaluation* evaluation = judgement(view);
  return evaluation ? evaluation->measured() : nullptr;
}

std::string fenced(std::string_view language, std::string_view text) {
  return fmt::format("```{}\n{}{}```\n\n", language, text, text.ends_with('\n') ? "" : "\n");
}

std::string meta_of(const RunView& run, const std::string& key) {
  const auto found = run.meta.find(key);
  return found == run.meta.end() ? "unknown" : found->second;
}

std::string times_table(const NodeView& baseline, const NodeView& best) {
  std::string text = "| workload | baseline | best | grade |\n|---|---|---|---|\n";
  const Measured *before = measured(baseline), *after = measured(best);
  if (!before || !after) return "";
  for (std::size_t i = 0; i < after->workloads.size() && i < before->workloads.size(); ++i) {
    text += fmt::format("| {} | {} | {} | {} |\n", after->workloads[i].workload,
                        format_duration_ns(before->workloads[i].nanoseconds),
                        format_duration_ns(after->workloads[i].nanoseconds), name_of(after->grade));
  }
  return text + "\n";
}

std::string result(const RunView& run) {
  const int best = run.best();
  std::string text = "## Result\n\n";
  if (best < 0) return text + "No correct version was found.\n\n";
  const NodeView& view = run.at(best);
  text += fmt::format("**{:.2f}x** over the {}, node {}, judged at {} depth.\n\n",
                      *run.speedup(best), run.at(0).proposal ? "baseline" : "first correct version",
                      best, name_of(judgement(view)->depth));
  if (const auto ratio = run.ratio(best))
    text += fmt::format(
        "Measured in alternation with the baseline: 95 % interval {:.3g} to {:.3g}, {} pairs; "
        "sandbox {}.\n\n",
        ratio->low, ratio->high, ratio->pairs, judgement(view)->sandbox);
  if (measured(view)->grade == Grade::kModelled) {
    text +=
        "The times are modelled by the virtual GPU. They rank versions; they are no measurement "
        "and have no interval.\n\n";
  }
  text += times_table(run.at(0), view);
  text += fmt::format("Worst error {:.2g} against a gate of {:.2g}; {}.\n\n",
                      measured(view)->worst_error, measured(view)->error_limit,
                      measured(view)->deterministic ? "deterministic" : "not deterministic");
  if (run.ending) text += fmt::format("The run ended: {}.\n\n", run.ending->sentence);
  return text;
}

std::string step_text(const RunView& run, int node) {
  const NodeView& after = run.at(node);
  std::string text = fmt::format("### Node {}: {}\n\n", node, after.proposal->idea);
  text += fmt::format("{:.2f}x over the root", run.speedup(node).value_or(0));
  if (!after.proposal->tool.empty()) {
    text += fmt::format("; `{}` prescribed `{}` and predicted {:.2f}x to {:.2f}x",
                        after.proposal->tool, after.proposal->action, after.proposal->predicted.low,
                        after.proposal->predicted.high);
  }
  text += ".\n\n";
  if (!after.proposal->tune.empty()) {
    for (const auto& [name, value] : after.proposal->tune)
      text += fmt::format("- `{} = {}`\n", name, value);
    text += "\n";
  }
  const std::string change = change_of(run, node);
  return change.empty() ? text : text + fenced("diff", change);
}

std::string path(const RunView& run) {
  const int best = run.best();
  if (best <= 0) return "";
  std::string text = "## From the baseline to the best\n\n";
  for (const int node : run.path_to(best)) {
    if (node > 0) text += step_text(run, node);
  }
  return text;
}

std::string findings(const RunView& run) {
  std::string text = "## What was found\n\n";
  for (const int node : {0, run.best()}) {
    if (node < 0 || !run.at(node).node.diagnosis) continue;
    text += fmt::format("In node {} ({}):\n\n", node, node == 0 ? "baseline" : "best");
    text += fenced("text", text_of(*run.at(node).node.diagnosis));
    if (run.best() == 0) break;
  }
  return text;
}

std::string ledger(const RunView& run) {
  if (run.ledger.empty()) return "";
  std::string text =
      "## Ledger\n\nWhat each prescription was said to bring over its parent, and what it "
      "brought.\n\n"
      "| node | tool | action | predicted | gained |\n|---|---|---|---|---|\n";
  for (const store::LedgerLine& line : run.ledger) {
    text += fmt::format("| {} | {} | {} | {:.2f}x to {:.2f}x | {} |\n", line.node, line.tool,
                        line.action, line.predicted.low, line.predicted.high,
                        line.gain ? fmt::format("{:.2f}x", *line.gain) : line.outcome);
  }
  return text + "\n";
}

struct Fact {
  std::string_view key, label;  // of the run's meta; of the table
};
constexpr Fact kFacts[] = {{"version", "KernelPro"},
                           {"compiler", "compiler"},
                           {"product", "device"},
                           {"evidence", "times"},
                           {"host_cores", "cores of the host"},
                           {"date", "started"}};

bool is_told_apart(const std::string& key) {
  return key == "command" || std::any_of(std::begin(kFacts), std::end(kFacts),
                                         [&key](const Fact& fact) { return fact.key == key; });
}

std::string environment(const RunView& run) {
  std::string text = "## How it was made\n\n";
  if (run.meta.contains("command")) text += fenced("sh", run.meta.at("command"));
  text += "| | |\n|---|---|\n";
  for (const Fact& fact : kFacts) {
    text += fmt::format("| {} | {} |\n", fact.label, meta_of(run, std::string(fact.key)));
  }
  text += fmt::format("| candidates judged | {} |\n\n", run.nodes.size());
  text += "All settings:\n\n| | |\n|---|---|\n";
  for (const auto& [key, value] : run.meta) {
    if (!is_told_apart(key)) text += fmt::format("| {} | {} |\n", key, value);
  }
  const Evaluation* root = judgement(run.at(0));
  if (root && !root->notes.empty()) text += "\n";
  for (const auto& note : root ? root->notes : std::vector<std::string>{}) {
    text += "- " + note + "\n";
  }
  return text;
}

}  // namespace

std::string markdown(const RunView& run) {
  std::string text =
      fmt::format("# {} on {}\n\n", meta_of(run, "task_name"), meta_of(run, "device"));
  text += result(run) + path(run) + findings(run) + ledger(run);
  text += "## All candidates\n\n" + fenced("text", tree_text(run));
  return text + environment(run);
}

}  // namespace kp::report
