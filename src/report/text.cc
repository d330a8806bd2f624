// SPDX-License-Identifier: Apache-2.0
#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnose/finding_text.h"

namespace kp::report {
namespace {

std::string time_text(const TimedWorkload& timed, Grade grade) {
  std::string text = fmt::format("  {:<24} {:>10} {}", timed.workload,
                                 format_duration_ns(timed.nanoseconds), name_of(grade));
  if (timed.low && timed.high) {
    text += fmt::format(" (95 %: {} to {})", format_duration_ns(*timed.low),
                        format_duration_ns(*timed.high));
  }
  if (timed.speedup) text += ", " + to_string(*timed.speedup);
  return text + "\n";
}

std::string measured_text(const Measured& measured) {
  std::string text;
  for (const TimedWorkload& timed : measured.workloads) text += time_text(timed, measured.grade);
  text += fmt::format(
      "  worst error {:.2g} (gate {:.2g}), {}\n", measured.worst_error, measured.error_limit,
      measured.deterministic ? "deterministic" : "not deterministic, within the gate");
  for (const Label& label : measured.labels)
    text += fmt::format("  label {}: {}\n", label.name, label.text);
  return text;
}

std::string outcome_text(const RunView& run, int node) {
  if (const auto speedup = run.speedup(node)) return fmt::format("{:.2f}x", *speedup);
  const auto& evaluation = run.at(node).node.evaluation;
  return evaluation ? std::string(name_of(evaluation->outcome)) : "virtual root";
}

/// What every line of the tree needs to know of the whole.
struct Layout {
  const RunView& run;
  std::vector<int> path;  // to the best
  std::size_t id_width = 1, outcome_width = 1;
};

Layout layout_of(const RunView& run) {
  Layout layout{run, {}, std::to_string(run.nodes.size() - 1).size() + 1, 1};
  if (run.best() >= 0) layout.path = run.path_to(run.best());
  for (const NodeView& view : run.nodes) {
    layout.outcome_width = std::max(layout.outcome_width, outcome_text(run, view.node.id).size());
  }
  return layout;
}

void add_node(const Layout& layout, int id, int depth, std::string& text) {
  const NodeView& view = layout.run.at(id);
  const auto on_path = std::find(layout.path.begin(), layout.path.end(), id);
  const bool is_best = !layout.path.empty() && layout.path.back() == id;
  const char mark = is_best ? '*' : on_path != layout.path.end() ? '+' : ' ';
  text += fmt::format("{} {:<{}}  {:>{}}  {}{}\n", mark, fmt::format("#{}", id), layout.id_width,
                      outcome_text(layout.run, id), layout.outcome_width,
                      std::string(static_cast<std::size_t>(depth) * 2, ' '),
                      view.proposal ? view.proposal->idea : "");
  for (const int child : view.children) add_node(layout, child, depth + 1, text);
}

/// What people and workers have still to do.
std::string waiting_text(const RunView& run) {
  std::string text;
  for (const store::AskRecord& ask : run.unanswered) {
    text += fmt::format("waits for an answer: #{} {}\n", ask.node, ask.role);
  }
  for (const store::ProposalRecord& proposal : run.pending) {
    text += fmt::format("waits to be judged: proposal {}: {}\n", proposal.id, proposal.idea);
  }
  return text;
}

std::string row(std::string_view label, std::string_view text) {
  return fmt::format("  {:<9}  {}\n", label, text);
}

std::string prediction_text(const RunView& run, int node) {
  for (const store::LedgerLine& line : run.ledger) {
    if (line.node != node) continue;
    const std::string gained = line.gain ? fmt::format("{:.2f}x over #{}", *line.gain, line.parent)
                                         : "nothing: " + line.outcome;
    return row("advice", fmt::format("{}, by {}", line.action, line.tool)) +
           row("predicted", fmt::format("{:.2f}x to {:.2f}x over #{}", line.predicted.low,
                                        line.predicted.high, line.parent)) +
           row("gained", gained);
  }
  return "";
}

std::string tune_text(const Bindings& tune) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : tune) parts.push_back(fmt::format("{}={}", name, value));
  return parts.empty() ? "" : row("tune", join(parts, " "));
}

/// Why it was made and what it brought, as a small table.
std::string origin_text(const RunView& run, int node) {
  const NodeView& view = run.at(node);
  std::string text;
  if (view.ask) text += row("why", fmt::format("#{} {}", view.ask->node, view.ask->why));
  if (view.proposal) text += tune_text(view.proposal->tune);
  text += prediction_text(run, node);
  for (const std::string& note : view.notes) text += row("note", note);
  const auto speedup = run.speedup(node);
  const auto ratio = run.ratio(node);
  if (ratio && node > 0) text += row("overall", to_string(*ratio));
  if (!ratio && speedup && node > 0)
    text += row("overall", fmt::format("{:.2f}x over the root", *speedup));
  return text;
}

}  // namespace

std::string text_of(const Evaluation& evaluation) {
  const auto* failed = std::get_if<BuildFailed>(&evaluation.outcome);
  // A build log stands on lines of its own; its first line would only be repeated.
  std::string text =
      fmt::format("{} ({} depth, on {})\n", failed ? "build failed" : summary(evaluation),
                  name_of(evaluation.depth), evaluation.device);
  if (failed) text += failed->log + (failed->log.ends_with('\n') ? "" : "\n");
  if (const Measured* measured = evaluation.measured()) text += measured_text(*measured);
  for (const std::string& note : evaluation.notes) text += "  note: " + note + "\n";
  if (!evaluation.sandbox.empty()) text += "  sandbox: " + evaluation.sandbox + "\n";
  return text;
}

std::string text_of(const Diagnosis& diagnosis) {
  const std::string name(name_of(diagnosis.boundness));
  // The sentence may begin with the class that the line begins with.
  std::string_view why = diagnosis.why;
  if (why.starts_with(name + ": ")) why.remove_prefix(name.size() + 2);
  std::string text = fmt::format("{}-bound: {}\n", name, why);
  for (const Finding& finding : diagnosis.findings) text += "\n" + diagnose::to_text(finding);
  if (diagnosis.findings.empty() && !diagnosis.at_roof) text += "no tool found anything\n";
  for (const std::string& silent : diagnosis.not_applicable)
    text += "not applicable: " + silent + "\n";
  return text;
}

std::string tree_text(const RunView& run) {
  const Layout layout = layout_of(run);
  std::string text;
  add_node(layout, 0, 0, text);
  if (!layout.path.empty()) text += "* best   + on the way to it\n";
  return text + waiting_text(run);
}

std::string explanation(const RunView& run, int node) {
  const NodeView& view = run.at(node);
  std::string text = fmt::format("#{}", node);
  if (view.node.parent) text += fmt::format(", child of #{}", *view.node.parent);
  if (view.proposal) text += ": " + view.proposal->idea;
  text += "\n" + origin_text(run, node);
  const auto& evaluation = view.final ? view.final : view.node.evaluation;
  if (evaluation) text += "\n" + text_of(*evaluation);
  if (view.node.diagnosis) text += "\n" + text_of(*view.node.diagnosis);
  return text;
}

}  // namespace kp::report
