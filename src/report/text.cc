// SPDX-License-Identifier: Apache-2.0
#include "report/text.h"

#include <fmt/format.h>

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
  return text + "\n";
}

std::string measured_text(const Measured& measured) {
  std::string text;
  for (const TimedWorkload& timed : measured.workloads) text += time_text(timed, measured.grade);
  text += fmt::format(
      "  worst error {:.2g} (gate {:.2g}), {}\n", measured.worst_error, measured.error_limit,
      measured.deterministic ? "deterministic" : "not deterministic, within the gate");
  return text;
}

void add_node(const RunView& run, int id, int depth, int best, std::string& text) {
  const NodeView& view = run.nodes[static_cast<std::size_t>(id)];
  const auto speedup = run.speedup(id);
  std::string outcome = "virtual root";
  if (speedup) {
    outcome = fmt::format("{:.2f}x", *speedup);
  } else if (view.node.evaluation) {
    outcome = std::string(name_of(view.node.evaluation->outcome));
  }
  const std::string idea = view.proposal ? view.proposal->idea : "";
  text += fmt::format("{}{}#{} {}  {}\n", std::string(static_cast<std::size_t>(depth) * 2, ' '),
                      id == best ? "* " : "", id, outcome, idea);
  for (const int child : view.children) add_node(run, child, depth + 1, best, text);
}

std::string prediction_text(const RunView& run, int node) {
  for (const store::LedgerLine& line : run.ledger) {
    if (line.node != node) continue;
    const std::string gained = line.gain ? fmt::format("{:.2f}x", *line.gain) : line.outcome;
    return fmt::format("{} prescribed {}: predicted {:.2f}x to {:.2f}x over #{}, gained {}\n",
                       line.tool, line.action, line.predicted.low, line.predicted.high, line.parent,
                       gained);
  }
  return "";
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
  return text;
}

std::string text_of(const Diagnosis& diagnosis) {
  std::string text = fmt::format("{}-bound: {}\n", name_of(diagnosis.boundness), diagnosis.why);
  for (const Finding& finding : diagnosis.findings) text += "\n" + diagnose::to_text(finding);
  if (diagnosis.findings.empty() && !diagnosis.at_roof) text += "no tool found anything.\n";
  for (const std::string& silent : diagnosis.not_applicable)
    text += "not applicable: " + silent + "\n";
  return text;
}

std::string tree_text(const RunView& run) {
  std::string text;
  add_node(run, 0, 0, run.best(), text);
  return text;
}

std::string explanation(const RunView& run, int node) {
  const NodeView& view = run.nodes[static_cast<std::size_t>(node)];
  std::string text = fmt::format("#{}", node);
  if (view.node.parent) text += fmt::format(", child of #{}", *view.node.parent);
  if (view.proposal) text += ": " + view.proposal->idea;
  text += "\n";
  if (view.ask) text += fmt::format("#{} {}\n", view.ask->node, view.ask->why);
  text += prediction_text(run, node);
  if (const auto speedup = run.speedup(node)) {
    text += fmt::format("{:.2f}x over the root\n", *speedup);
  }
  const auto& evaluation = view.final ? view.final : view.node.evaluation;
  if (evaluation) text += "\n" + text_of(*evaluation);
  if (view.node.diagnosis) text += "\n" + text_of(*view.node.diagnosis);
  return text;
}

}  // namespace kp::report
