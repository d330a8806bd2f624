// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "mcp/schema.h"
#include "mcp/tools/tools.h"
#include "mcp/verdict.h"
#include "report/diff.h"
#include "report/run_json.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

Result<int> node_for(const report::RunView& view, const json& arguments) {
  const int node = arguments.value("node", std::max(view.best(), 0));
  const int last = static_cast<int>(view.nodes.size()) - 1;
  if (node <= last) return node;
  return fail(ErrorCode::kInvalidInput,
              fmt::format("the run has no node {}; its nodes are 0 to {}", node, last),
              "show_tree lists them");
}

Result<json> explain(const json& arguments, Call& call) {
  KP_TRY(const Path folder, call.admit(arguments["run"]));
  KP_TRY(const auto view, report::read_run(folder));
  KP_TRY(const int node, node_for(view, arguments));
  const report::NodeView& known = view.at(node);
  json answer{{"node", node}};
  if (known.ask) answer["why"] = known.ask->why;
  if (known.proposal) {
    answer["source"] = known.proposal->source;
    answer["idea"] = known.proposal->idea;
  }
  if (known.node.evaluation) answer["verdict"] = verdict_of(known.node);
  if (known.final) answer["final"] = verdict_of(*known.final, {});
  const json whole = report::node_to_json(view, node);
  if (whole.contains("ledger")) answer["promise"] = whole["ledger"];
  const std::string change = report::change_of(view, node);
  if (!change.empty()) answer["change"] = change;
  return answer;
}

json promise_schema() {
  return object_schema({{"node", integer("its number", 0)},
                        {"parent", integer("its parent", 0)},
                        {"tool", text("the finding that led to it")},
                        {"action", text("the prescription")},
                        {"predicted_low", number("times faster than the parent, at least")},
                        {"predicted_high", number("at most")},
                        {"outcome", text("what came of it")},
                        {"gain", nullable(number("what it really was"))}});
}

}  // namespace

Tool make_explain() {
  return {"explain",
          "Why a node was made",
          "One node in full: why it was asked for, its source, what changed from its parent, the "
          "verdict with its findings, what the finding promised and what came of it.",
          object_schema({{"run", text("folder of the run")},
                         {"node?", integer("its number; default: the best", 0)}}),
          object_schema({{"node", integer("its number", 0)},
                         {"why?", text("why the search asked for it")},
                         {"idea?", text("what was new")},
                         {"source?", text("CUDA")},
                         {"change?", text("unified diff from the parent")},
                         {"verdict?", verdict_schema()},
                         {"final?", verdict_schema()},
                         {"promise?", promise_schema()}}),
          true,
          false,
          explain};
}

}  // namespace kp::mcp
