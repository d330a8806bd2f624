// SPDX-License-Identifier: Apache-2.0
#include "diagnose/recorded.h"
#include "loop/harness_judge.h"
#include "mcp/schema.h"
#include "mcp/tools/tools.h"
#include "mcp/verdict.h"
#include "profile/recording_file.h"
#include "report/findings.h"
#include "task/task.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

json program_schema() {
  return object_schema(
      {{"device", nullable(text("of the recording"))},
       {"source", text("who counted: vgpu, cupti, ncu, nsys")},
       {"kernels", list_of(object_schema(
                       {{"name", text("demangled")},
                        {"class", nullable(text("memory, compute, latency, mixed or launch"))},
                        {"time_share", nullable(number("of the GPU's time, 0 to 1"))},
                        {"findings", list_of(finding_schema())}}))},
       {"notes", list_of(text("what the profiler said, and which tools lacked which counters"))},
       {"rules?", list_of(any("what Nsight Compute's own rules say"))}});
}

Result<Candidate> candidate_of(const Task& task, const json& arguments, Call& call) {
  if (arguments.contains("candidate")) {
    KP_TRY(const Path file, call.admit(arguments["candidate"]));
    KP_TRY(auto source, read_text(file));
    return task::make_candidate(task, std::move(source), file.string());
  }
  if (task.baseline) return task::make_candidate(task, *task.baseline, task.baseline_path.string());
  return fail(ErrorCode::kInvalidInput, "the task " + task.name + " has no baseline",
              "name a `candidate`");
}

Result<json> of_task(Workplace& place, const json& arguments, Call& call) {
  KP_TRY(const Path folder, call.admit(arguments["task"]));
  KP_TRY(auto task, task::read_task(folder));
  KP_TRY(const auto candidate, candidate_of(task, arguments, call));
  const Workplace::Shift shift(place, call);
  CallWatcher watcher(call);
  watcher.tell("building, checking and profiling");
  KP_TRY(loop::Workshop* const shop,
         place.for_task(std::move(task), arguments.value("device", "")));
  loop::HarnessJudge judge(*shop->harness, *shop->device);
  KP_TRY(const auto judged, judge.judge(candidate, Depth::kQuick, {}));
  const Measured* measured = judged.evaluation.measured();
  if (!measured || !judged.diagnosis) return json{{"bad", verdict_of(judged.evaluation, {})}};
  KP_TRY(const auto program, diagnose::by_kernel(*judged.diagnosis, measured->profile, shop->task(),
                                                 shop->device->describe().spec));
  return json{{"diagnosis", report::findings_json({program})}};
}

Result<json> of_recording(const json& arguments, Call& call) {
  KP_TRY(const Path file, call.admit(arguments["recording"]));
  KP_TRY(auto recording, profile::read_recording(file));
  const auto rules = recording.rules;
  KP_TRY(const auto program, diagnose::diagnose(std::move(recording)));
  return json{{"diagnosis", report::findings_json({program, rules})}};
}

Result<json> diagnose_any(Workplace& place, const json& arguments, Call& call) {
  if (arguments.contains("task") == arguments.contains("recording")) {
    return fail(ErrorCode::kInvalidInput, "give either `task` or `recording`",
                "`candidate` goes with `task`");
  }
  return arguments.contains("task") ? of_task(place, arguments, call)
                                    : of_recording(arguments, call);
}

}  // namespace

Tool make_diagnose(std::shared_ptr<Workplace> place) {
  return {
      "diagnose",
      "What limits a kernel",
      "Ranked findings in plain words, each with what it can gain at most and what to do. Of a "
      "task's baseline or a candidate of it, which is built, judged and profiled here without "
      "a run; or of a file that a profiler wrote: Nsight Compute's CSV or .ncu-rep, Nsight "
      "Systems' SQLite export.",
      object_schema({{"task?", text("task folder or file")},
                     {"candidate?", text("a .cu file; default: the task's baseline")},
                     {"device?", text("cuda[:N] or vgpu[:SPEC]")},
                     {"recording?", text("file of a profiler, in place of a task")}}),
      object_schema({{"diagnosis?", program_schema()}, {"bad?", verdict_schema()}}),
      false,
      true,
      [place](const json& arguments, Call& call) { return diagnose_any(*place, arguments, call); }};
}

}  // namespace kp::mcp
