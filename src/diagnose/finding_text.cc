// SPDX-License-Identifier: Apache-2.0
#include "diagnose/finding_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kp::diagnose {
namespace {

constexpr double kNoGain = 1.005;  // prints as 1.00x

std::string indented(std::string_view text, std::string_view indent) {
  std::string out;
  for (const std::string_view line : split_lines(text)) {
    out += line.empty() ? "\n" : fmt::format("{}{}\n", indent, line);
  }
  return out;
}

}  // namespace

std::string to_text(const Gain& gain) {
  if (gain.low < kNoGain) return fmt::format("up to {:.2f}x", gain.high);
  return fmt::format("{:.2f}x to {:.2f}x", gain.low, gain.high);
}

std::string to_text(const Finding& finding) {
  const std::string gain =
      finding.gain.high >= kNoGain ? fmt::format("{} possible ", to_text(finding.gain)) : "";
  std::string out = fmt::format("{}: {} in {}: {}({})\n", name_of(finding.severity), finding.tool,
                                finding.kernel, gain, name_of(finding.grade));
  out += indented(finding.saw, "  ");
  out += indented(finding.costs, "  ");
  int number = 0;
  for (const Prescription& prescription : finding.prescriptions) {
    if (prescription.text.empty()) continue;
    out += fmt::format("  {}. {} [{}]\n", ++number, prescription.text, prescription.action);
    out += indented(prescription.code, "       ");
  }
  return out;
}

}  // namespace kp::diagnose
