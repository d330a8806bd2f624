// SPDX-License-Identifier: Apache-2.0
#include "report/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assets/flashinfer_solution.h"
#include "assets/flashinfer_trace.h"
#include "assets/sol_solution.h"
#include "assets/sol_trace.h"
#include "base/text.h"
#include "model/json.h"
#include "model/json_schema.h"
#include "report/trace_evaluation.h"

namespace kp::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFile = "kernel.cu";
constexpr std::size_t kShortId = 8;  // characters of a content address in a name

Result<void> fits(const Json& written, std::string_view schema) {
  KP_TRY(const auto parsed, parse_json(schema));
  return check_against(nlohmann::json(written), parsed,
                       "share/schemas has the schema; please report this");
}

bool is_modelled(const Evaluation& evaluation) {
  const Measured* measured = evaluation.measured();
  return evaluation.sandbox.empty() && (!measured || measured->grade == Grade::kModelled);
}

/// The judgement of `node`, once it may be written at all.
Result<const Evaluation*> writable(const TraceRequest& request, int node) {
  const RunView& run = request.run;
  const std::string show = fmt::format("`kernelpro show {}` lists the nodes", run.folder.string());
  if (node < 0 || node >= static_cast<int>(run.nodes.size()))
    return fail(ErrorCode::kInvalidInput, fmt::format("the run has no node {}", node), show);
  const Evaluation* evaluation = judgement_of(run.at(node));
  if (evaluation == nullptr || !run.at(node).proposal)
    return fail(ErrorCode::kInvalidInput, fmt::format("node {} was not judged", node), show);
  const auto& workloads = request.task.workloads;
  const bool published = std::none_of(workloads.begin(), workloads.end(),
                                      [](const Workload& w) { return w.published.empty(); });
  if (!published) {
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("task {} has no definition.json that a trace could name", request.task.name),
        "make it a folder with definition.json and workload.jsonl; see docs/task.md");
  }
  if (request.modelled || !is_modelled(*evaluation)) return evaluation;
  return fail(ErrorCode::kUnsupported,
              fmt::format("node {} was judged on {}, whose times are modelled, not measured", node,
                          evaluation->device),
              "judge it on a GPU (`kernelpro eval --device cuda`); `--modelled` writes what is "
              "known without times");
}

const std::string& source_of(const TraceRequest& request, int node) {
  return request.run.at(node).proposal->source;
}

std::string name_of_solution(const TraceRequest& request, int node) {
  const store::NodeRecord& record = request.run.at(node).node;
  return fmt::format("{}_kernelpro_{}_{}", request.task.name, node,
                     record.candidate.substr(0, kShortId));
}

/// The kernel that the plan launches first.
std::string entry_of(const std::string& source) {
  constexpr std::string_view kLaunch = "launch ";
  for (const std::string_view line : split_lines(source)) {
    const std::string_view statement = trim(line);
    if (!statement.starts_with(kLaunch)) continue;
    const std::string_view rest = statement.substr(kLaunch.size());
    return std::string(trim(rest.substr(0, rest.find("<<<"))));
  }
  return "kernel";
}

std::string about(const TraceRequest& request, int node) {
  const store::ProposalRecord& proposal = *request.run.at(node).proposal;
  std::string tune;
  for (const auto& [name, value] : proposal.tune) tune += fmt::format(" -D{}={}", name, value);
  return fmt::format(
      "{}. Device code whose first comment is the launch plan of kernelpro; it has no host entry "
      "point, and entry_point names the kernel that the plan launches first. Built with{}.",
      proposal.idea, tune.empty() ? " no definitions" : tune);
}

Json build_spec(const TraceRequest& request, int node) {
  const std::string entry = fmt::format("{}::{}", kFile, entry_of(source_of(request, node)));
  if (request.form == TraceForm::kSol)
    return {{"languages", {"cuda_cpp"}}, {"target_hardware", {"LOCAL"}}, {"entry_point", entry}};
  return {{"language", "cuda"},
          {"target_hardware", {hardware_of(request.run.meta, *judgement_of(request.run.at(node)))}},
          {"entry_point", entry}};
}

/// The workload that `name` calls so, without the prefix of derived check workloads.
const Workload* find_workload(const Task& task, std::string_view name) {
  for (const Workload& workload : task.workloads)
    if (workload.name == name) return &workload;
  return nullptr;
}

Result<Json> trace_of(const TraceRequest& request, int node, const Evaluation& evaluation,
                      const Workload& workload) {
  KP_TRY(const Json published, parse_ordered_json(workload.published));
  Json trace{{"definition", request.task.name},
             {"workload", published},
             {"solution", name_of_solution(request, node)},
             {"evaluation", evaluation_record({evaluation, workload, request.run.meta,
                                               request.form == TraceForm::kSol})}};
  const bool sol = request.form == TraceForm::kSol;
  KP_TRY_VOID(fits(trace, sol ? assets::sol_trace : assets::flashinfer_trace));
  return trace;
}

/// Those of which this judgement says something. One that failed was tried on a single workload,
/// except that what does not build fails on all.
std::vector<const Workload*> told(const Task& task, const Evaluation& evaluation) {
  std::vector<const Workload*> found;
  if (const Measured* measured = evaluation.measured()) {
    for (const TimedWorkload& timed : measured->workloads)
      if (const Workload* workload = find_workload(task, timed.workload)) found.push_back(workload);
    return found;
  }
  if (std::holds_alternative<BuildFailed>(evaluation.outcome))
    return task.with_role(WorkloadRole::kTime);
  if (const auto* wrong = std::get_if<WrongAnswer>(&evaluation.outcome)) {
    if (const Workload* workload = find_workload(task, wrong->workload)) return {workload};
  }
  const auto checks = task.with_role(WorkloadRole::kCheck);
  if (!checks.empty()) found.push_back(checks.front());
  return found;
}

}  // namespace

std::optional<TraceForm> trace_form(std::string_view name) {
  if (name == "flashinfer") return TraceForm::kFlashInfer;
  if (name == "sol") return TraceForm::kSol;
  return {};
}

std::vector<int> judged_nodes(const RunView& run) {
  std::vector<int> nodes;
  for (const NodeView& view : run.nodes)
    if (judgement_of(view) != nullptr && view.proposal) nodes.push_back(view.node.id);
  return nodes;
}

Result<Json> solution_of(const TraceRequest& request, int node) {
  KP_TRY_VOID(writable(request, node));
  Json solution{
      {"name", name_of_solution(request, node)},
      {"definition", request.task.name},
      {"author", request.author},
      {"spec", build_spec(request, node)},
      {"sources", Json::array({{{"path", kFile}, {"content", source_of(request, node)}}})},
      {"description", about(request, node)}};
  const bool sol = request.form == TraceForm::kSol;
  KP_TRY_VOID(fits(solution, sol ? assets::sol_solution : assets::flashinfer_solution));
  return solution;
}

Result<std::vector<Json>> traces_of(const TraceRequest& request, int node) {
  KP_TRY(const Evaluation* evaluation, writable(request, node));
  std::vector<Json> traces;
  for (const Workload* workload : told(request.task, *evaluation)) {
    KP_TRY(Json trace, trace_of(request, node, *evaluation, *workload));
    traces.push_back(std::move(trace));
  }
  return traces;
}

}  // namespace kp::report
