// SPDX-License-Identifier: Apache-2.0
#include "diagnose/diagnose.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "diagnose/bound.h"
#include "diagnose/lua_tool.h"
#include "diagnose/roof.h"

namespace kp::diagnose {
namespace {

constexpr double kNoHistory = 0.5;

double record_of(const TrackRecord& record, const std::string& tool) {
  const auto found = record.find(tool);
  return found == record.end() ? kNoHistory : found->second;
}

/// What all tools say about one kernel.
struct Answers {
  std::vector<Finding> findings;
  std::vector<std::string> not_applicable;
};

void add_answer(const Tool& tool, const Evidence& evidence, Answers& answers) {
  Verdict verdict = ask(tool, evidence);
  if (auto* finding = std::get_if<Finding>(&verdict)) {
    answers.findings.push_back(std::move(*finding));
  } else if (const auto* no = std::get_if<NotApplicable>(&verdict)) {
    answers.not_applicable.push_back(std::string(tool.about().name) + ": " + no->why);
  }
}

Answers ask_tools(const Evidence& evidence) {
  Answers answers;
  for (const std::unique_ptr<Tool>& tool : tools()) add_answer(*tool, evidence, answers);
  for (const UserTool& user : used_tools()) add_answer(*user.tool, evidence, answers);
  return answers;
}

/// One message about a kernel that nothing but less traffic can help: which traffic between the
/// kernels could go, or that it is at the roof.
Finding at_roof(const Evidence& evidence) {
  const Verdict verdict = ask(*find_tool("dram_traffic"), evidence);
  if (const auto* finding = std::get_if<Finding>(&verdict)) return *finding;
  const LowerBound bound =
      lower_bound(evidence.floor, {.kernels = {evidence.kernel}}, evidence.device);
  return roof_finding(bound, evidence.kernel, evidence.device);
}

Answers examine(const Evidence& evidence) {
  if (kernel_at_roof(evidence.floor, evidence.kernel, evidence.device)) {
    return {{at_roof(evidence)}, {}};
  }
  return ask_tools(evidence);
}

const KernelProfile& longest(const Profile& profile) {
  return *std::max_element(
      profile.kernels.begin(), profile.kernels.end(),
      [](const KernelProfile& a, const KernelProfile& b) { return a.share < b.share; });
}

/// Severity, then the share of the run that is won at least, then how often the tool was right.
void rank(std::vector<Finding>& findings, const TrackRecord& record) {
  for (Finding& finding : findings) {
    finding.gain = with_eta(finding.gain, record_of(record, finding.tool));
  }
  const auto key = [&](const Finding& f) {
    return std::tuple(-static_cast<int>(f.severity), -(1 - 1 / f.gain.low),
                      -record_of(record, f.tool));
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
}

/// The one sentence about a run at its roof; of several short launches, that they are several.
Finding run_at_roof(const Floor& floor, const Profile& profile, const DeviceSpec& device,
                    const Gate& gate) {
  const Evidence evidence{profile.kernels.front(), device,        floor,
                          gate.boundness,          gate.headroom, &profile};
  if (profile.kernels.size() > 1) {
    const Verdict verdict = ask(*find_tool("launch_overhead"), evidence);
    if (const auto* finding = std::get_if<Finding>(&verdict)) return *finding;
  }
  return roof_finding(lower_bound(floor, profile, device), longest(profile), device);
}

void add_once(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& one : more) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
}

}  // namespace

Result<Diagnosis> diagnose(const Task& task, const Workload& workload, const Profile& profile,
                           const DeviceSpec& device, const TrackRecord& record) {
  KP_TRY(const Floor floor, floor_of(task, workload));
  return diagnose(floor, profile, device, record);
}

Diagnosis diagnose(const Floor& floor, const Profile& profile, const DeviceSpec& device,
                   const TrackRecord& record) {
  const Gate gate = classify(floor, profile, device);
  Diagnosis diagnosis{gate.boundness, gate.why, gate.at_roof, gate.headroom, {}, {}};
  if (profile.kernels.empty()) return diagnosis;
  if (gate.at_roof) {
    diagnosis.findings.push_back(run_at_roof(floor, profile, device, gate));
    rank(diagnosis.findings, record);
    return diagnosis;
  }
  for (const KernelProfile& kernel : profile.kernels) {
    const Gate own = classify(floor, {.kernels = {kernel}}, device);
    Answers answers = examine({kernel, device, floor, own.boundness, gate.headroom, &profile});
    std::move(answers.findings.begin(), answers.findings.end(),
              std::back_inserter(diagnosis.findings));
    add_once(diagnosis.not_applicable, answers.not_applicable);
  }
  rank(diagnosis.findings, record);
  return diagnosis;
}

}  // namespace kp::diagnose
