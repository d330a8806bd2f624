// SPDX-License-Identifier: Apache-2.0
// Findings and diagnoses as JSON.
#include <nlohmann/json.hpp>

#include "model/json.h"
#include "model/profile_json.h"

namespace kp {
namespace {

using Json = nlohmann::json;

Finding read_finding(const JsonReader& in) {
  Finding finding;
  finding.tool = in.text("tool");
  finding.kernel = in.text("kernel");
  finding.severity =
      in.choice("severity", {Severity::kInfo, Severity::kWarning, Severity::kCritical});
  finding.saw = in.text("saw");
  finding.costs = in.text("costs");
  in.each("prescriptions", [&finding](const JsonReader& item) {
    finding.prescriptions.push_back({item.text("action"), item.text("text"), item.text("code")});
  });
  const JsonReader gain = in.object("gain");
  finding.gain = {gain.number("low"), gain.number("high")};
  finding.grade = read_grade(in);
  in.each("spots",
          [&finding](const JsonReader& spot) { finding.spots.push_back(read_spot(spot)); });
  return finding;
}

}  // namespace

Json to_json(const Finding& finding) {
  Json prescriptions = Json::array();
  for (const Prescription& item : finding.prescriptions) {
    prescriptions.push_back({{"action", item.action}, {"text", item.text}, {"code", item.code}});
  }
  Json spots = Json::array();
  for (const SourceSpot& spot : finding.spots) spots.push_back(spot_json(spot));
  return {
      {"tool", finding.tool},
      {"kernel", finding.kernel},
      {"severity", name_of(finding.severity)},
      {"saw", finding.saw},
      {"costs", finding.costs},
      {"prescriptions", std::move(prescriptions)},
      {"gain", {{"low", json_number(finding.gain.low)}, {"high", json_number(finding.gain.high)}}},
      {"grade", name_of(finding.grade)},
      {"spots", std::move(spots)}};
}

Json to_json(const Diagnosis& diagnosis) {
  Json findings = Json::array();
  for (const Finding& finding : diagnosis.findings) findings.push_back(to_json(finding));
  return {{"boundness", name_of(diagnosis.boundness)},
          {"why", diagnosis.why},
          {"at_roof", diagnosis.at_roof},
          {"headroom", json_number(diagnosis.headroom)},
          {"findings", std::move(findings)},
          {"not_applicable", diagnosis.not_applicable}};
}

Result<Diagnosis> diagnosis_from_json(const Json& json) {
  JsonReader::Fault fault;
  const JsonReader in(json, "diagnosis", fault);
  Diagnosis diagnosis;
  diagnosis.boundness =
      in.choice("boundness", {Boundness::kMemory, Boundness::kCompute, Boundness::kLatency,
                              Boundness::kMixed, Boundness::kLaunch});
  diagnosis.why = in.text("why");
  diagnosis.at_roof = in.flag("at_roof");
  diagnosis.headroom = in.number("headroom");
  in.each("findings", [&diagnosis](const JsonReader& finding) {
    diagnosis.findings.push_back(read_finding(finding));
  });
  diagnosis.not_applicable = in.texts("not_applicable");
  return value_or_fault(std::move(diagnosis), std::move(fault));
}

}  // namespace kp
