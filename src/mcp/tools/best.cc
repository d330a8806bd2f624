// SPDX-License-Identifier: Apache-2.0
#include "loop/conclude.h"
#include "loop/standalone.h"
#include "mcp/schema.h"
#include "mcp/tools/tools.h"
#include "mcp/verdict.h"
#include "report/markdown.h"
#include "report/run_view.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

Result<void> conclude(Workplace& place, const Path& folder, Call& call) {
  KP_TRY(auto stored, loop::open_alone(folder));
  const Workplace::Shift shift(place, call);
  KP_TRY(const auto sitting, Sitting::open(place, std::move(stored), call));
  if (!sitting->run().history().planted()) {
    return fail(ErrorCode::kInvalidInput, "nothing in the run was judged yet",
                "submit_candidate judges what is pending");
  }
  KP_TRY_VOID(loop::conclude(sitting->run(), sitting->judge(), &sitting->watcher(),
                             {"finished", "the client asked for the result"}));
  return {};
}

Result<json> describe(const Path& folder) {
  KP_TRY(const auto view, report::read_run(folder));
  KP_TRY_VOID(write_file(folder / "report.md", report::markdown(view)));
  const int best = view.best();
  if (best < 0) return json{{"found", false}};
  const report::NodeView& node = view.at(best);
  store::NodeRecord judged = node.node;
  if (node.final) judged.evaluation = node.final;
  judged.speedup = view.speedup(best);
  json answer{{"found", true},
              {"final", node.final.has_value()},
              {"verdict", verdict_of(judged)},
              {"source", node.proposal->source},
              {"report", (folder / "report.md").string()}};
  if (!node.proposal->tune.empty()) answer["tune"] = node.proposal->tune;
  const Path file = folder / "best.cu";
  if (node.final && std::filesystem::exists(file)) {
    answer["file"] = file.string();
    KP_TRY(answer["source"], read_text(file));
  }
  return answer;
}

Result<json> best(Workplace& place, const json& arguments, Call& call) {
  KP_TRY(const Path folder, call.admit(arguments["run"]));
  if (arguments.value("final", false)) KP_TRY_VOID(conclude(place, folder, call));
  return describe(folder);
}

}  // namespace

Tool make_best(std::shared_ptr<Workplace> place) {
  json tune = any("values of tune parameters by name");
  tune["type"] = "object";
  return {"best",
          "The best version",
          "The fastest correct version of a run: source, times, speed-up with its interval. With "
          "`final` the best are judged again from scratch at full depth, on fresh inputs and all "
          "workloads, until one passes; that one is the result and is written to best.cu.",
          object_schema({{"run", text("folder of the run")},
                         {"final?", flag("judge at full depth first; minutes")}}),
          object_schema({{"found", flag("whether any correct version is there")},
                         {"final?", flag("whether the verdict is of full depth")},
                         {"verdict?", verdict_schema()},
                         {"source?", text("the version; with `final` its tune values are set")},
                         {"tune?", tune},
                         {"file?", text("best.cu")},
                         {"report?", text("report.md, for people")}}),
          false,
          true,
          [place](const json& arguments, Call& call) { return best(*place, arguments, call); }};
}

}  // namespace kp::mcp
