// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "loop/question.h"
#include "loop/worker.h"
#include "mcp/schema.h"
#include "mcp/tools/tools.h"
#include "mcp/verdict.h"
#include "propose/llm/reply.h"
#include "task/task.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kPause{100};  // between looks at what another process judges

Result<std::string> source_of(const json& arguments, Call& call) {
  const bool inline_source = arguments.contains("source");
  if (inline_source == arguments.contains("file")) {
    return fail(ErrorCode::kInvalidInput, "give either `source` or `file`",
                "`source` is the text of the candidate, `file` names a file that holds it");
  }
  if (inline_source) return arguments["source"].get<std::string>();
  KP_TRY(const Path file, call.admit(arguments["file"]));
  return read_text(file);
}

/// A whole source with its plan as it is; what has none may be a diff, or mean the parent's plan.
Result<propose::Proposal> read_proposal(loop::LiveRun& run, int node, std::string source,
                                        const Bindings& tune) {
  const std::string file = "candidate.cu";
  if (!task::find_plan(source, file) && node < run.nodes()) {
    KP_TRY(const auto parent, run.member(node));
    auto read = propose::parse_reply(
        source, {run.task(), parent.candidate ? &*parent.candidate : nullptr, nullptr, 1});
    if (auto* found = std::get_if<std::vector<propose::Proposal>>(&read)) {
      source = std::move(found->front().source);
    }
  }
  // A plan that cannot be read is refused: who wrote it is there to mend it.
  KP_TRY_VOID(task::make_candidate(run.task(), source, file, tune));
  propose::Proposal proposal;
  proposal.source = std::move(source);
  proposal.tune = tune;
  return proposal;
}

/// What the finding promises is held against what comes of it.
Result<void> attribute(loop::LiveRun& run, int node, const std::string& follows,
                       propose::Proposal& proposal) {
  if (node >= run.nodes()) return {};  // refused when it is handed in
  KP_TRY(const auto parent, run.member(node));
  const auto findings = parent.diagnosis ? parent.diagnosis->findings : std::vector<Finding>();
  for (const Finding& finding : findings) {
    for (const Prescription& prescription : finding.prescriptions) {
      if (prescription.action != follows) continue;
      proposal.tool = finding.tool;
      proposal.action = follows;
      proposal.predicted = finding.gain;
      return {};
    }
  }
  return fail(ErrorCode::kInvalidInput,
              fmt::format("no finding of node {} prescribes `{}`", node, follows),
              "`follows` is the `action` of one of its prescriptions; leave it out otherwise");
}

Result<propose::Proposal> proposal_of(loop::LiveRun& run, const json& arguments, Call& call) {
  KP_TRY(auto source, source_of(arguments, call));
  const auto tune = arguments.value("tune", std::map<std::string, std::int64_t>());
  KP_TRY(auto proposal, read_proposal(run, arguments["node"], std::move(source),
                                      Bindings(tune.begin(), tune.end())));
  proposal.idea = arguments.value("idea", "");
  if (arguments.contains("follows")) {
    KP_TRY_VOID(attribute(run, arguments["node"], arguments["follows"], proposal));
  }
  proposal.sources = arguments.value("sources", std::vector<std::string>());
  return proposal;
}

/// Judges until nobody has the proposal before him: what was handed in earlier comes first.
Result<void> await(Sitting& sitting, int proposal, Call& call) {
  loop::Worker worker(sitting.run(), sitting.judge(), &sitting.watcher());
  while (sitting.run().history().pending().contains(proposal)) {
    if (call.stop().requested()) return fail(ErrorCode::kTimeout, "the call was cancelled");
    KP_TRY(const auto judged, worker.step());
    if (!judged) std::this_thread::sleep_for(kPause);
  }
  return {};
}

Result<store::NodeRecord> node_of(loop::LiveRun& run, int proposal) {
  KP_TRY(const auto events, run.store().events(0));
  for (const store::Event& event : events) {
    const auto* node = std::get_if<store::NodeSummary>(&event.what);
    if (node && node->proposal == proposal) return run.store().node(node->id);
  }
  return fail(ErrorCode::kCorrupt, "a judged proposal has no node",
              "the file is damaged; restore it from a copy or start a new run");
}

Result<json> submit(Workplace& place, const json& arguments, Call& call) {
  KP_TRY(const Path folder, call.admit(arguments["run"]));
  KP_TRY(auto stored, loop::open_shared(folder));
  const Workplace::Shift shift(place, call);
  KP_TRY(const auto sitting, Sitting::open(place, std::move(stored), call));
  loop::LiveRun& run = sitting->run();
  KP_TRY(auto proposal, proposal_of(run, arguments, call));
  KP_TRY(const auto handed_in, run.volunteer(arguments["node"], {std::move(proposal)}));
  KP_TRY_VOID(await(*sitting, handed_in.front().proposal, call));
  KP_TRY(const auto node, node_of(run, handed_in.front().proposal));
  KP_TRY(const json best, best_of(run));
  const int spent = run.history().progress().evaluations;
  json answer{{"known", handed_in.front().known},
              {"verdict", verdict_of(node)},
              {"evaluations", spent},
              {"budget", run.settings().stop.budget}};
  if (!best.is_null()) answer["best"] = best;
  KP_TRY(json doubts, doubts_about(run.task()));
  if (!doubts.is_null()) answer["doubts"] = std::move(doubts);
  if (const auto reason = loop::finished(run)) answer["stop_because"] = reason->sentence;
  return answer;
}

}  // namespace

Tool make_submit_candidate(std::shared_ptr<Workplace> place) {
  json tune = any("values of tune parameters by name; default: the first of each list");
  tune["type"] = "object";
  tune["additionalProperties"] = {{"type", "integer"}};
  return {
      "submit_candidate",
      "Judge a candidate",
      "Hands in a candidate that was made from `node` and judges it: builds it, checks its "
      "answers on inputs that it has not seen, races and memory, times and profiles it. "
      "Returns the verdict, the ranked findings and the best so far. A cancelled call leaves "
      "the candidate handed in; the next call judges it first. Takes seconds to minutes.",
      object_schema({{"run", text("folder of the run")},
                     {"node", integer("the node that the candidate was made from", 0)},
                     {"source?", text("CUDA source with its plan comment, or a unified diff of the "
                                      "node's source; without a plan the node's counts")},
                     {"file?", text("a file that holds it, in place of `source`")},
                     {"idea?", text("one sentence: what is new")},
                     {"follows?", text("`action` of the node's prescription that it carries out")},
                     {"sources?", list_of(text("path of a file from search_code that helped"))},
                     {"tune?", tune}}),
      object_schema({{"known", flag("whether the run had this candidate already")},
                     {"verdict", verdict_schema()},
                     {"best?", best_schema()},
                     {"doubts?", doubts_schema()},
                     {"evaluations", integer("candidates judged so far", 0)},
                     {"budget", integer("how many may be", 1)},
                     {"stop_because?", text("why the run should end now; then call best with "
                                            "final")}}),
      false,
      true,
      [place](const json& arguments, Call& call) { return submit(*place, arguments, call); }};
}

}  // namespace kp::mcp
