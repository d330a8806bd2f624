// SPDX-License-Identifier: Apache-2.0
// What the tools name first on recorded evidence: corpus_replay EVIDENCE.json [NAME]. The file maps
// NAME/fault and NAME/fixed of bench/corpus to profiles; no GPU is needed. With NAME, all findings
// of that pair.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "diagnose/diagnose.h"
#include "model/json.h"
#include "task/task.h"

namespace {

using namespace kp;

template <class T>
T must(Result<T> result) {
  KP_CHECK(result.has_value(), result ? "" : result.error().text());
  return *std::move(result);
}

/// Tool named first by corpus.json, by pair.
std::map<std::string, std::string> expectations(const Path& corpus) {
  const auto json = nlohmann::json::parse(must(read_text(corpus / "corpus.json")));
  std::map<std::string, std::string> tools;
  for (const auto& kernel : json.at("kernels"))
    tools[kernel.at("name")] =
        kernel.at("tool").is_string() ? kernel.at("tool").get<std::string>() : std::string();
  return tools;
}

Diagnosis diagnosis_of(const Path& source, const nlohmann::json& evidence) {
  const Task task = must(task::read_task(source));
  const Workload& workload = *task.with_role(WorkloadRole::kTime).front();
  const Profile profile = must(profile_from_json(evidence));
  const DeviceSpec spec = must(read_device_spec("h200"));
  return must(diagnose::diagnose(task, workload, profile, spec, {}));
}

std::string brief(const Diagnosis& diagnosis) {
  std::string text;
  for (const Finding& finding : diagnosis.findings) {
    if (finding.severity == Severity::kInfo && !text.empty()) continue;
    text +=
        fmt::format("{}{}({} {:.2f}-{:.2f})", text.empty() ? "" : " ", finding.tool,
                    name_of(finding.severity).substr(0, 1), finding.gain.low, finding.gain.high);
  }
  return fmt::format("{}{} {}", diagnosis.at_roof ? "ROOF " : "", name_of(diagnosis.boundness),
                     text);
}

void print_all(const Diagnosis& diagnosis) {
  fmt::print("{}\n  {}\n", brief(diagnosis), diagnosis.why);
  for (const Finding& f : diagnosis.findings)
    fmt::print("  {} {} {} {:.2f}-{:.2f}: {} {}\n", name_of(f.severity), f.tool, f.kernel,
               f.gain.low, f.gain.high, f.saw, f.costs);
  for (const std::string& reason : diagnosis.not_applicable) fmt::print("  - {}\n", reason);
}

}  // namespace

int main(int count, char** arguments) {
  KP_CHECK(count >= 2, "corpus_replay EVIDENCE.json [NAME]");
  const Path corpus = Path(KP_SOURCE_DIR) / "bench" / "corpus";
  const auto expected = expectations(corpus);
  const auto evidence = nlohmann::json::parse(must(read_text(arguments[1])));
  int right = 0, named = 0;
  for (const auto& [key, profile] : evidence.items()) {
    const std::string name = key.substr(0, key.find('/'));
    if (count > 2 && name != arguments[2]) continue;
    const Path source = corpus / name / (key.substr(key.find('/') + 1) + ".cu");
    if (!std::filesystem::exists(source) || !expected.contains(name)) continue;
    const Diagnosis diagnosis = diagnosis_of(source, profile);
    if (count > 2) {
      fmt::print("{}: ", key);
      print_all(diagnosis);
      continue;
    }
    const std::string first = diagnosis.findings.empty() ? "" : diagnosis.findings.front().tool;
    const bool fault = key.ends_with("/fault") && !expected.at(name).empty();
    named += fault;
    right += fault && first == expected.at(name);
    fmt::print("{} {:<28} {:<20} {}\n",
               fault ? (first == expected.at(name) ? "ok  " : "MISS") : "    ", key,
               fault ? expected.at(name) : "-", brief(diagnosis));
  }
  fmt::print("{} of {} named first\n", right, named);
  return 0;
}
