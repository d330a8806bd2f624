// SPDX-License-Identifier: Apache-2.0
#include "mcp/schema.h"
#include "mcp/tools/tools.h"
#include "report/run_json.h"
#include "report/text.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

Result<json> show(const json& arguments, Call& call) {
  KP_TRY(const Path folder, call.admit(arguments["run"]));
  KP_TRY(const auto view, report::read_run(folder));
  json whole = report::to_json(view);
  return json{{"best", whole["best"]},
              {"nodes", whole["nodes"]},
              {"stopped_because", whole["stopped_because"]},
              {"tree", report::tree_text(view)}};
}

json node_schema() {
  json tune = any("values of tune parameters");
  tune["type"] = "object";
  return object_schema({{"id", integer("its number", 0)},
                        {"parent", nullable(integer("null for the root", 0))},
                        {"candidate", text("content address")},
                        {"outcome", text("measured, wrong answer, ...")},
                        {"speedup", nullable(number("over the baseline; null unless measured"))},
                        {"speedup_low?", number("lower end of the 95 % interval")},
                        {"speedup_high?", number("upper end")},
                        {"pairs?", integer("launches beside the baseline", 0)},
                        {"idea?", text("what was new")},
                        {"tool?", text("the finding that led to it")},
                        {"action?", text("the prescription")},
                        {"tune?", tune}});
}

}  // namespace

Tool make_show_tree() {
  return {"show_tree",
          "The tree of versions",
          "All nodes of a run with what came of them, as data and as an indented text in which the "
          "path to the best is marked.",
          object_schema({{"run", text("folder of the run")}}),
          object_schema({{"best", nullable(integer("node", 0))},
                         {"nodes", list_of(node_schema())},
                         {"stopped_because", nullable(text("rule that ended the run"))},
                         {"tree", text("for reading")}}),
          true,
          false,
          show};
}

}  // namespace kp::mcp
