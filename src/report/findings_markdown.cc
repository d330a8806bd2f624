// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/findings_lines.h"

namespace kp::report {
namespace {

/// As code in running text; names of kernels hold stars and brackets.
std::string code(std::string_view text) { return "`" + one_line(text) + "`"; }

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    if (c == '*' || c == '_' || c == '<' || c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string finding_markdown(const Finding& finding) {
  if (is_roof(finding)) return escaped(finding.saw) + "\n\n";
  std::string text =
      fmt::format("**{}**\n\n{}\n\n", escaped(headline_of(finding)), escaped(message_of(finding)));
  int number = 0;
  for (const Prescription& prescription : finding.prescriptions) {
    if (prescription.text.empty()) continue;
    text += fmt::format("{}. {} [{}]\n", ++number, escaped(prescription.text), prescription.action);
    if (!prescription.code.empty())
      text += fmt::format("\n```cuda\n{}\n```\n\n", prescription.code);
  }
  return text + (number > 0 ? "\n" : "");
}

std::string kernel_markdown(const diagnose::KernelDiagnosis& kernel) {
  std::string text =
      fmt::format("## {}\n\n{}.\n\n", code(kernel.name), escaped(kernel_line(kernel)));
  for (const Finding& finding : kernel.diagnosis.findings) text += finding_markdown(finding);
  if (kernel.diagnosis.findings.empty()) text += "No tool found anything.\n\n";
  return text;
}

std::string rules_markdown(const std::vector<profile::RuleMessage>& rules) {
  std::string text =
      "## Nsight Compute's own rules\n\n| kernel | type | rule | estimate | message |\n"
      "|---|---|---|---|---|\n";
  for (const profile::RuleMessage& rule : rules) {
    const std::string estimate =
        rule.speedup_pct ? fmt::format("{} {:.3g} %", rule.speedup_type, *rule.speedup_pct) : "";
    text += fmt::format("| {} | {} | {} | {} | {} |\n", escaped(rule.kernel), rule.type, rule.rule,
                        estimate, escaped(rule.text));
  }
  return text;
}

}  // namespace

std::string findings_markdown(const FindingsView& view) {
  std::string text = fmt::format("# Diagnosis\n\n{}.\n\n", escaped(program_line(view.program)));
  const std::vector<std::string> gaps = gaps_of(view.program);
  for (std::size_t i = 0; i < shown_kernels(view); ++i) {
    text += kernel_markdown(view.program.kernels[i]);
  }
  if (const std::string rest = hidden_line(view); !rest.empty()) text += escaped(rest) + ".\n\n";
  if (!gaps.empty() || !view.program.notes.empty()) text += "## Notes\n\n";
  for (const std::string& gap : gaps) text += fmt::format("- {}\n", escaped(gap));
  for (const std::string& note : view.program.notes) text += fmt::format("- {}\n", escaped(note));
  if (!view.rules.empty()) text += "\n" + rules_markdown(view.rules);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace kp::report
