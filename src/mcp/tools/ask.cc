// SPDX-License-Identifier: Apache-2.0
#include "loop/question.h"
#include "loop/stored_run.h"
#include "mcp/schema.h"
#include "mcp/tools/tools.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

Result<json> ask(const json& arguments, Call& call) {
  KP_TRY(const Path folder, call.admit(arguments["run"]));
  KP_TRY(auto stored, loop::open_shared(folder));
  KP_TRY(const auto meta, stored.store.meta());
  KP_TRY(const auto spec, loop::spec_of(meta));
  KP_TRY(auto run, loop::LiveRun::open(std::move(stored.store), stored.settings, stored.task));
  KP_TRY(const auto asks, loop::new_asks(run, arguments.value("count", 1)));
  json answer{{"asks", json::array()}};
  for (const loop::OpenAsk& open : asks) {
    KP_TRY(const auto question, loop::question_of(run, open, spec ? &*spec : nullptr));
    answer["asks"].push_back({{"ask", open.id},
                              {"node", open.ask.node},
                              {"role", name_of(open.ask.role)},
                              {"why", open.ask.why},
                              {"prompt", question.text}});
  }
  if (asks.empty()) answer["nothing_because"] = loop::why_none(run);
  return answer;
}

}  // namespace

Tool make_ask() {
  return {
      "ask",
      "What to write next",
      "The node of the tree that the search wants improved or repaired next, with all that is "
      "known about it: contract, source, verdict, findings, what was tried. Answer with "
      "`submit_candidate` for that node. You may also submit for any other node without asking.",
      object_schema({{"run", text("folder of the run")},
                     {"count?", integer("how many nodes; default 1", 1)}}),
      object_schema(
          {{"asks", list_of(object_schema(
                        {{"ask", integer("its number in the run", 0)},
                         {"node", integer("for submit_candidate", 0)},
                         {"role", text("improve, repair or seed")},
                         {"why", text("why the search chose this node")},
                         {"prompt", text("what a writer of the candidate has to know")}}))},
           {"nothing_because?", text("why there is nothing to ask now")}}),
      false,
      false,
      ask};
}

}  // namespace kp::mcp
