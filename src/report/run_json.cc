// SPDX-License-Identifier: Apache-2.0
#include "report/run_json.h"

#include <nlohmann/json.hpp>

#include "model/json.h"
#include "model/json_reader.h"

namespace kp::report {
namespace {

using Json = nlohmann::json;

Json brief(const RunView& run, const NodeView& view) {
  Json node{{"id", view.node.id},
            {"parent", view.node.parent ? Json(*view.node.parent) : Json()},
            {"candidate", view.node.candidate},
            {"speedup", or_null(run.speedup(view.node.id))}};
  if (const auto ratio = run.ratio(view.node.id)) {
    node["speedup_low"] = ratio->low;
    node["speedup_high"] = ratio->high;
    node["pairs"] = ratio->pairs;
  }
  node["outcome"] =
      view.node.evaluation ? Json(name_of(view.node.evaluation->outcome)) : Json("virtual");
  if (view.proposal) {
    node["idea"] = view.proposal->idea;
    node["tool"] = view.proposal->tool;
    node["action"] = view.proposal->action;
    node["tune"] = view.proposal->tune;
  }
  return node;
}

Json to_json(const store::LedgerLine& line) {
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
  Json nodes = Json::array(), ledger = Json::array();
  for (const NodeView& view : run.nodes) nodes.push_back(brief(run, view));
  for (const store::LedgerLine& line : run.ledger) ledger.push_back(to_json(line));
  Json result{{"run", run.folder.string()},
              {"settings", run.meta},
              {"best", run.best() < 0 ? Json() : Json(run.best())},
              {"nodes", nodes},
              {"ledger", ledger}};
  Json unanswered = Json::array(), pending = Json::array();
  for (const store::AskRecord& ask : run.unanswered) {
    unanswered.push_back(
        {{"ask", ask.id}, {"node", ask.node}, {"role", ask.role}, {"why", ask.why}});
  }
  for (const store::ProposalRecord& proposal : run.pending) {
    pending.push_back({{"proposal", proposal.id}, {"idea", proposal.idea}});
  }
  result["unanswered"] = unanswered;
  result["pending"] = pending;
  result["stopped_because"] = run.ending ? Json(run.ending->rule) : Json();
  return result;
}

nlohmann::json node_to_json(const RunView& run, int node) {
  const NodeView& view = run.at(node);
  Json result = brief(run, view);
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
