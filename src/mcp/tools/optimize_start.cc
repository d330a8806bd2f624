// SPDX-License-Identifier: Apache-2.0
#include "loop/worker.h"
#include "mcp/schema.h"
#include "mcp/tools/tools.h"
#include "mcp/verdict.h"
#include "task/task.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

Result<Path> folder_for(const json& arguments, const std::string& task, Call& call) {
  if (arguments.contains("run")) return call.admit(arguments["run"]);
  KP_TRY(const Path runs, call.admit("runs"));
  return loop::free_folder(runs, task);
}

loop::Settings settings_of(const json& arguments, const Workplace& place,
                           const std::string& device) {
  loop::Settings settings;
  settings.proposer = loop::kByHand;
  settings.search = arguments.value("search", settings.search);
  settings.seed = arguments.value("seed", settings.seed);
  settings.stop.budget = arguments.value("budget", settings.stop.budget);
  settings.proposer_options.code_roots = place.setup().code_roots;
  settings.environment = {{"version", place.setup().version}, {"wanted_device", device}};
  return settings;
}

Result<json> start(Workplace& place, const json& arguments, Call& call) {
  KP_TRY(const Path from, call.admit(arguments["task"]));
  KP_TRY(const Task task, task::read_task(from));
  KP_TRY(const Path folder, folder_for(arguments, task.name, call));
  const Workplace::Shift shift(place, call);
  // Before anything is stored: what has no device leaves no folder behind.
  KP_TRY(const auto bench, place.bench(arguments.value("device", "")));
  const std::string device = bench.device->describe().name;
  KP_TRY_VOID(loop::found_run(from, settings_of(arguments, place, device), folder));
  json answer{{"run", folder.string()}, {"task", task.name}, {"device", device}};
  KP_TRY(json doubts, doubts_about(task));
  if (!doubts.is_null()) answer["doubts"] = std::move(doubts);
  KP_TRY(auto stored, loop::open_shared(folder));
  KP_TRY(const auto sitting, Sitting::open(place, std::move(stored), call));
  loop::Worker worker(sitting->run(), sitting->judge(), &sitting->watcher());
  KP_TRY(const auto root, worker.step());
  if (root) {
    KP_TRY(const auto whole, sitting->run().store().node(root->id));
    answer["baseline"] = verdict_of(whole);
  }
  return answer;
}

}  // namespace

Tool make_optimize_start(std::shared_ptr<Workplace> place) {
  return {"optimize_start",
          "Start a run",
          "Begins to make a kernel faster: copies the task into a new run folder and judges its "
          "baseline. Returns the run and what limits the baseline. Go on with `ask` and "
          "`submit_candidate`. Takes seconds to minutes.",
          object_schema(
              {{"task", text("folder with definition.json, or a .cu file that declares its task")},
               {"run?", text("new folder for the run; default runs/NAME")},
               {"device?", text("cuda[:N] or vgpu[:SPEC]; default: the first that works")},
               {"search?",
                one_of("which nodes `ask` proposes", {"mcts", "greedy", "beam", "best-of-n"})},
               {"seed?", integer("same seed, same inputs and same choices", 0)},
               {"budget?", integer("candidates that may be judged, the baseline among them", 1)}}),
          object_schema({{"run", text("folder of the run, for all other tools")},
                         {"task", text("its name")},
                         {"device", text("on which everything in the run is judged")},
                         {"doubts?", doubts_schema()},
                         {"baseline?", verdict_schema()}}),
          false,
          true,
          [place](const json& arguments, Call& call) { return start(*place, arguments, call); }};
}

}  // namespace kp::mcp
