// SPDX-License-Identifier: Apache-2.0
#include "report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "diagnose/finding_text.h"
#include "report/findings_lines.h"

namespace kp::report {
namespace {

using Json = nlohmann::json;

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json kernel_json(const diagnose::KernelDiagnosis& kernel) {
  Json findings = Json::array();
  for (const Finding& finding : kernel.diagnosis.findings)
    findings.push_back(finding_json(finding));
  return {{"name", kernel.name},
          {"class", kernel.classified ? Json(name_of(kernel.diagnosis.boundness)) : Json()},
          {"time_share", kernel.share ? Json(*kernel.share) : Json()},
          {"findings", std::move(findings)}};
}

Json rule_json(const profile::RuleMessage& rule) {
  return {{"kernel", rule.kernel},
          {"rule", rule.rule},
          {"type", rule.type},
          {"message", rule.text},
          {"speedup_type", rule.speedup_type.empty() ? Json() : Json(rule.speedup_type)},
          {"speedup_pct", rule.speedup_pct ? Json(*rule.speedup_pct) : Json()}};
}

std::string shown(const std::function<std::string(std::string_view)>& style, std::string text) {
  return style ? style(text) : text;
}

std::string indented(std::string_view text) {
  std::string out;
  for (const std::string_view line : split_lines(text)) out += fmt::format("   {}\n", line);
  return out;
}

/// The finding's first line in the words for a kernel alone; the rest as everywhere.
std::string finding_block(const FindingsView& view, const Finding& finding) {
  if (is_roof(finding)) return fmt::format("   {}\n", finding.saw);
  const std::string whole = diagnose::to_text(finding);
  const std::size_t line = whole.find('\n');
  return fmt::format("   {}\n", shown(view.strong, headline_of(finding))) +
         indented(std::string_view(whole).substr(line + 1));
}

std::string kernel_block(const FindingsView& view, std::size_t number) {
  const diagnose::KernelDiagnosis& kernel = view.program.kernels[number];
  std::string text = fmt::format("\n{}. {}\n   {}\n", number + 1,
                                 shown(view.strong, one_line(kernel.name)), kernel_line(kernel));
  for (const Finding& finding : kernel.diagnosis.findings) text += finding_block(view, finding);
  if (kernel.diagnosis.findings.empty()) text += "   no tool found anything\n";
  return text;
}

std::string rules_text(const FindingsView& view) {
  std::string text = "\nNsight Compute's own rules\n";
  std::string kernel;
  for (const profile::RuleMessage& rule : view.rules) {
    if (rule.kernel != kernel) text += fmt::format("  {}\n", one_line(kernel = rule.kernel));
    text += fmt::format("    {}\n", rule_line(rule));
  }
  return text;
}

}  // namespace

Json finding_json(const Finding& finding) {
  Json prescriptions = Json::array();
  for (const Prescription& one : finding.prescriptions) {
    prescriptions.push_back({{"action", one.action}, {"text", one.text}, {"code", one.code}});
  }
  return {{"tool", finding.tool},
          {"severity", name_of(finding.severity)},
          {"evidence", name_of(finding.grade)},
          {"gain", {finite_or_null(finding.gain.low), finite_or_null(finding.gain.high)}},
          {"message", message_of(finding)},
          {"prescriptions", std::move(prescriptions)}};
}

Json findings_json(const FindingsView& view) {
  Json kernels = Json::array();
  for (std::size_t i = 0; i < shown_kernels(view); ++i) {
    kernels.push_back(kernel_json(view.program.kernels[i]));
  }
  std::vector<std::string> notes = view.program.notes;
  const std::vector<std::string> gaps = gaps_of(view.program);
  notes.insert(notes.end(), gaps.begin(), gaps.end());
  Json result{{"device", view.program.device.empty() ? Json() : Json(view.program.device)},
              {"source", view.program.source},
              {"kernels", std::move(kernels)},
              {"notes", std::move(notes)}};
  if (view.rules.empty()) return result;
  result["rules"] = Json::array();
  for (const profile::RuleMessage& rule : view.rules) result["rules"].push_back(rule_json(rule));
  return result;
}

std::string findings_text(const FindingsView& view) {
  std::string text = program_line(view.program) + "\n";
  const std::vector<std::string> gaps = gaps_of(view.program);
  for (std::size_t i = 0; i < shown_kernels(view); ++i) text += kernel_block(view, i);
  const std::string rest = hidden_line(view);
  if (!rest.empty()) text += "\n" + rest + "\n";
  if (!gaps.empty() || !view.program.notes.empty()) text += "\n";
  for (const std::string& gap : gaps) text += shown(view.faint, gap) + "\n";
  for (const std::string& note : view.program.notes) text += "note: " + note + "\n";
  if (!view.rules.empty()) text += rules_text(view);
  return text;
}

}  // namespace kp::report
