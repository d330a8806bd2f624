// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "diagnose/diagnose.h"
#include "model/json.h"
#include "task/task.h"

namespace kp::replay {
namespace {

using nlohmann::json;

// Of the GPU that the evidence comes from.
constexpr const char* kSpec = "h200";
// The widest range that still says something, high over low.
constexpr double kNarrow = 3 * (1 + 1e-9);  // rounded

Result<json> read_json(const Path& file) {
  KP_TRY(const std::string text, read_text(file));
  return parse_json(text).within(file.string());
}

/// Tool of each kernel of corpus.json; empty at the roof.
Result<std::map<std::string, std::string>> planted_tools(const Path& corpus) {
  KP_TRY(const json listed, read_json(corpus / "corpus.json"));
  std::map<std::string, std::string> tools;
  for (const json& kernel : listed.at("kernels")) {
    const json& tool = kernel.at("tool");
    tools[kernel.at("name")] = tool.is_string() ? tool.get<std::string>() : std::string();
  }
  return tools;
}

Result<std::map<std::string, double>> measured_gains(const Path& results) {
  std::map<std::string, double> gains;
  if (results.empty()) return gains;
  KP_TRY(const json read, read_json(results));
  for (const json& row : read.at("rows")) {
    const auto gain = row.find("gain");
    if (gain != row.end() && gain->is_number()) gains[row.at("name")] = gain->get<double>();
  }
  return gains;
}

Result<Diagnosis> diagnosis_of(const Path& source, const json& evidence) {
  KP_TRY(const Task task, task::read_task(source));
  KP_TRY(const Profile profile, profile_from_json(evidence));
  KP_TRY(const DeviceSpec spec, read_device_spec(kSpec));
  const Workload& workload = *task.with_role(WorkloadRole::kTime).front();
  return diagnose::diagnose(task, workload, profile, spec, {});
}

bool asks_to_act(const Finding& finding) { return finding.severity != Severity::kInfo; }

void add(Share& share, bool counts) {
  ++share.of;
  share.count += counts ? 1 : 0;
}

}  // namespace

Recorded recorded(const std::string& part) {
  const Path bench = Path(KP_SOURCE_DIR) / "bench";
  const Path results = bench / "results" / "h200";
  return {part == "corpus" ? bench / "corpus" : bench / "corpus" / part,
          results / (part + "-evidence.json"), results / (part + ".json")};
}

std::string Judged::first() const {
  const auto& found = diagnosis.findings;
  return found.empty() ? "" : found.front().tool;
}

bool Judged::warns(const std::string& wanted) const {
  return std::ranges::any_of(diagnosis.findings, [&wanted](const Finding& finding) {
    return asks_to_act(finding) && (wanted.empty() || finding.tool == wanted);
  });
}

const Finding* Judged::promise() const {
  const auto found = std::ranges::find(diagnosis.findings, tool, &Finding::tool);
  return found == diagnosis.findings.end() ? nullptr : &*found;
}

bool Judged::within() const {
  const Finding* made = promise();
  return made && gain && made->gain.low <= *gain && *gain <= made->gain.high;
}

Result<std::vector<Judged>> judge(const Recorded& recorded) {
  KP_TRY(const auto tools, planted_tools(recorded.corpus));
  KP_TRY(const auto gains, measured_gains(recorded.results));
  KP_TRY(const json evidence, read_json(recorded.evidence));
  std::vector<Judged> all;
  for (const auto& [key, profile] : evidence.items()) {
    const std::string name = key.substr(0, key.find('/'));
    const auto planted = tools.find(name);
    if (planted == tools.end()) continue;
    Judged& one =
        all.emplace_back(Judged{name, key.substr(name.size() + 1), planted->second, {}, {}});
    KP_TRY(one.diagnosis, diagnosis_of(recorded.corpus / name / (one.version + ".cu"), profile));
    const auto gain = gains.find(name);
    if (gain != gains.end() && one.version == "fault") one.gain = gain->second;
  }
  return all;
}

Score score(const std::vector<Judged>& all) {
  Score score;
  for (const Judged& one : all) {
    if (one.version == "roof") add(score.quiet, !one.warns(""));
    if (one.version == "fixed") add(score.silent, !one.warns(one.tool));
    if (one.version != "fault") continue;
    add(score.named, one.first() == one.tool);
    if (const Finding* made = one.promise()) {
      add(score.narrow, made->gain.high <= kNarrow * made->gain.low);
      if (one.gain) add(score.within, one.within());
    }
  }
  return score;
}

}  // namespace kp::replay
