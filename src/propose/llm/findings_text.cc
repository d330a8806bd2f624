// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnose/finding_text.h"
#include "propose/llm/feedback.h"
#include "propose/llm/quoted.h"

namespace kp::propose {
namespace {

constexpr std::size_t kMostSpots = 2;   // of a finding
constexpr std::size_t kMostLine = 120;  // bytes of a source line

std::string source_lines(const Finding& finding, const Candidate& candidate) {
  const auto lines = split_lines(candidate.source);
  std::string text;
  std::size_t shown = 0;
  for (const SourceSpot& spot : finding.spots) {
    const bool here = spot.line > 0 && spot.line <= static_cast<int>(lines.size());
    if (!here || shown++ == kMostSpots) break;
    text += fmt::format("  line {}: `{}`\n", spot.line,
                        on_one_line(lines[static_cast<std::size_t>(spot.line) - 1], kMostLine));
  }
  return text;
}

}  // namespace

std::string bound_sentence(const Diagnosis& diagnosis) {
  const std::string name(name_of(diagnosis.boundness));
  std::string_view why = diagnosis.why;
  // The gate's own sentence begins with the name.
  if (why.starts_with(name + ": ")) why.remove_prefix(name.size() + 2);
  return fmt::format("{}-bound: {}", name, why);
}

std::string findings_text(const Diagnosis& diagnosis, const Candidate* lines_of) {
  std::string text = fmt::format("# Diagnosis\n\n{}; its time is {:.2g}x its lower bound.\n",
                                 bound_sentence(diagnosis), diagnosis.headroom);
  for (const Finding& finding : diagnosis.findings) {
    text += "\n" + diagnose::to_text(finding);
    if (lines_of) text += source_lines(finding, *lines_of);
  }
  return text;
}

}  // namespace kp::propose
