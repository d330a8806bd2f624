// SPDX-License-Identifier: Apache-2.0
#include "report/run_json.h"

#include <nlohmann/json.hpp>

#include "model/json.h"

namespace kp::report {
namespace {

using nlohmann::json;

json or_null(const std::optional<double>& value) { return value ? json(*value) : json(); }

json brief(const RunView& run, const NodeView& view) {
  json node{{"id", view.node.id},
            {"parent", view.node.parent ? json(*view.node.parent) : json()},
            {"candidate", view.node.candidate},
            {"speedup", or_null(run.speedup(view.node.id))}};
  if (const auto ratio = run.ratio(view.node.id)) {
    node["speedup_low"] = ratio->low;
    node["speedup_high"] = ratio->high;
    node["pairs"] = ratio->pairs;
  }
  node["outcome"] =
      view.node.evaluation ? json(name_of(view.node.evaluation->outcome)) : json("virtual");
  if (view.proposal) {
    node["idea"] = view.proposal->idea;
    node["tool"] = view.proposal->tool;
    node["action"] = view.proposal->action;
    node["tune"] = view.proposal->tune;
  }
  return node;
}

json to_json(const store::LedgerLine& line) {
  return {{"node", line.node},
          {"parent", line.parent},
          {"tool", line.tool},
          {"action", line.action},
          {"predicted_low", line.predicted.low},
          {"predicted_high", line.predicted.high},
          {"outcome", line.outcome},
          {"gain", or_null(line.gain)}};
}

}  // namespace

nlohmann::json to_json(const RunView& run) {
  json nodes = json::array(), ledger = json::array();
  for (const NodeView& view : run.nodes) nodes.push_back(brief(run, view));
  for (const store::LedgerLine& line : run.ledger) ledger.push_back(to_json(line));
  json result{{"run", run.folder.string()},
              {"settings", run.meta},
              {"best", run.best() < 0 ? json() : json(run.best())},
              {"nodes", nodes},
              {"ledger", ledger}};
  json unanswered = json::array(), pending = json::array();
  for (const store::AskRecord& ask : run.unanswered) {
    unanswered.push_back(
        {{"ask", ask.id}, {"node", ask.node}, {"role", ask.role}, {"why", ask.why}});
  }
  for (const store::ProposalRecord& proposal : run.pending) {
    pending.push_back({{"proposal", proposal.id}, {"idea", proposal.idea}});
  }
  result["unanswered"] = unanswered;
  result["pending"] = pending;
  result["stopped_because"] = run.ending ? json(run.ending->rule) : json();
  return result;
}

nlohmann::json node_to_json(const RunView& run, int node) {
  const NodeView& view = run.at(node);
  json result = brief(run, view);
  if (view.ask) result["why"] = view.ask->why;
  if (!view.notes.empty()) result["notes"] = view.notes;
  if (view.proposal) result["source"] = view.proposal->source;
  if (view.node.evaluation) result["evaluation"] = kp::to_json(*view.node.evaluation);
  if (view.final) result["final_evaluation"] = kp::to_json(*view.final);
  if (view.node.diagnosis) result["diagnosis"] = kp::to_json(*view.node.diagnosis);
  for (const store::LedgerLine& line : run.ledger) {
    if (line.node == node) result["ledger"] = to_json(line);
  }
  return result;
}

}  // namespace kp::report
