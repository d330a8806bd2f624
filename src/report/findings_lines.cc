// SPDX-License-Identifier: Apache-2.0
#include "report/findings_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "diagnose/finding_text.h"

namespace kp::report {
namespace {

constexpr double kNoGain = 1.005;  // prints as 1.00x
// How a tool says that a metric is missing (diagnose/tool.h, unknown()).
constexpr std::string_view kMetric = "metric ";
constexpr std::string_view kUnknown = " is unknown";
constexpr std::string_view kUnknownLine = "unknown";
// So begin the reasons of tools for which there is nothing to look at.
constexpr std::string_view kOfKernel = "the kernel ";

std::string count(std::int64_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : what.ends_with("ch") ? "es" : "s");
}

/// "METRIC" of "metric METRIC is unknown"; empty for other reasons.
std::string_view missing_metric(std::string_view why) {
  if (!why.starts_with(kMetric) || !why.ends_with(kUnknown)) return {};
  why.remove_prefix(kMetric.size());
  return why.substr(0, why.size() - kUnknown.size());
}

std::string gap_line(const std::string& why, const std::vector<std::string>& tools) {
  const std::string_view metric = missing_metric(why);
  const std::string names = join(tools, ", ");
  if (metric.empty()) return fmt::format("not applicable: {}: {}", names, why);
  return fmt::format("{}: {} {} {}", kUnknownLine, names, tools.size() == 1 ? "needs" : "need",
                     metric);
}

/// One line for each cause.
std::vector<std::string> lines_of(const Diagnosis& diagnosis) {
  std::map<std::string, std::vector<std::string>> tools;
  for (const std::string& line : diagnosis.not_applicable) {
    const std::size_t colon = std::min(line.find(": "), line.size());
    const std::string why = line.substr(std::min(colon + 2, line.size()));
    if (!why.starts_with(kOfKernel)) tools[why].push_back(line.substr(0, colon));
  }
  std::vector<std::string> lines;
  for (const auto& [why, names] : tools) lines.push_back(gap_line(why, names));
  return lines;
}

struct Gap {
  std::string line;
  std::size_t kernels = 0;
  std::string first;  // kernel
};

void add_gap(std::vector<Gap>& gaps, const std::string& line, const std::string& kernel) {
  const auto known =
      std::find_if(gaps.begin(), gaps.end(), [&](const Gap& gap) { return gap.line == line; });
  if (known == gaps.end()) {
    gaps.push_back({line, 1, kernel});
  } else {
    ++known->kernels;
  }
}

}  // namespace

std::vector<std::string> gaps_of(const diagnose::ProgramDiagnosis& program) {
  std::vector<Gap> gaps;
  std::size_t asked = 0;
  for (const diagnose::KernelDiagnosis& kernel : program.kernels) {
    if (kernel.diagnosis.at_roof) continue;
    ++asked;
    for (const std::string& line : lines_of(kernel.diagnosis)) add_gap(gaps, line, kernel.name);
  }
  // What more counters would tell comes first, then what concerns most.
  std::stable_sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) {
    const auto rank = [](const Gap& gap) {
      return std::pair(!gap.line.starts_with(kUnknownLine), -static_cast<long>(gap.kernels));
    };
    return rank(a) < rank(b);
  });
  std::vector<std::string> lines;
  for (const Gap& gap : gaps) {
    std::string whose;
    if (gap.kernels == 1 && asked > 1) whose = fmt::format(" ({})", one_line(gap.first));
    if (gap.kernels > 1 && gap.kernels < asked) {
      whose = fmt::format(" ({} of {} kernels)", gap.kernels, asked);
    }
    lines.push_back(gap.line + whose);
  }
  return lines;
}

std::size_t shown_kernels(const FindingsView& view) {
  const std::size_t all = view.program.kernels.size();
  return view.top == 0 ? all : std::min(view.top, all);
}

std::string hidden_line(const FindingsView& view) {
  const auto& kernels = view.program.kernels;
  const std::size_t from = shown_kernels(view);
  if (from == kernels.size()) return {};
  double share = 0;
  for (std::size_t i = from; i < kernels.size(); ++i) share += kernels[i].share.value_or(0);
  const std::string part =
      share > 0 ? fmt::format(" with {:.1f} % of the GPU time", 100 * share) : "";
  return fmt::format("and {} more{}; --top 0 shows all",
                     count(static_cast<std::int64_t>(kernels.size() - from), "kernel"), part);
}

std::string program_line(const diagnose::ProgramDiagnosis& program) {
  std::int64_t launches = 0;
  double total = 0;
  for (const diagnose::KernelDiagnosis& kernel : program.kernels) {
    launches += kernel.launches;
    total += kernel.total_ns.value_or(0);
  }
  std::string line = program.device.empty() ? "an unknown GPU" : program.device;
  line += fmt::format(", by {}: {}, {}", program.source,
                      count(static_cast<std::int64_t>(program.kernels.size()), "kernel"),
                      count(launches, "launch"));
  if (total > 0) line += fmt::format(", {} of GPU time", format_duration_ns(total));
  return line;
}

std::string kernel_line(const diagnose::KernelDiagnosis& kernel) {
  std::string line = kernel.share ? fmt::format("{:.1f} % of the GPU time", 100 * *kernel.share)
                                  : "share of the GPU time unknown";
  if (kernel.total_ns) {
    line += fmt::format(", {} in {}", format_duration_ns(*kernel.total_ns),
                        count(kernel.launches, "launch"));
  }
  const std::string name(name_of(kernel.diagnosis.boundness));
  std::string_view why = kernel.diagnosis.why;
  // The sentence may begin with the class.
  if (why.starts_with(name + ": ")) why.remove_prefix(name.size() + 2);
  return line + (kernel.classified ? fmt::format("; {}-bound: {}", name, why)
                                   : fmt::format("; class unknown: {}", why));
}

std::string headline_of(const Finding& finding) {
  const std::string gain =
      finding.gain.high >= kNoGain ? diagnose::to_text(finding.gain) + " possible " : "";
  return fmt::format("{}: {}: {}({})", name_of(finding.severity), finding.tool, gain,
                     name_of(finding.grade));
}

std::string message_of(const Finding& finding) {
  return finding.costs.empty() ? finding.saw : finding.saw + " " + finding.costs;
}

std::string rule_line(const profile::RuleMessage& rule) {
  std::string estimate;
  if (rule.speedup_pct)
    estimate = fmt::format(" ({} {:.3g} %)", rule.speedup_type, *rule.speedup_pct);
  return fmt::format("{} {}{}: {}", rule.type, rule.rule, estimate, one_line(rule.text));
}

bool is_roof(const Finding& finding) { return finding.tool == "roof"; }

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

}  // namespace kp::report
