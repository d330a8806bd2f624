// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/verdict_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "propose/llm/quoted.h"

namespace kp::propose {
namespace {

constexpr std::size_t kMostLog = 4000;  // bytes of a compiler's text
constexpr std::size_t kMostPlaces = 3;  // of which the source is shown
constexpr int kAround = 2;              // lines before and behind
constexpr std::size_t kMostNote = 600;  // bytes of a message

/// The numbers of "candidate-3.cu(12): error" and "candidate-3.cu:12:5: error".
std::set<int> lines_named(std::string_view log, std::string_view file) {
  std::set<int> lines;
  for (auto at = log.find(file); at != std::string_view::npos && lines.size() < kMostPlaces;
       at = log.find(file, at + 1)) {
    std::string_view rest = log.substr(at + file.size());
    if (rest.empty() || (rest[0] != '(' && rest[0] != ':')) continue;
    rest.remove_prefix(1);
    const auto end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const auto number = parse_integer(rest.substr(0, end));
    if (number && *number > 0 && *number < 1'000'000) lines.insert(static_cast<int>(*number));
  }
  return lines;
}

std::string lines_around(const Candidate& candidate, int line) {
  const auto lines = split_lines(candidate.source);
  const int last = std::min(static_cast<int>(lines.size()), line + kAround);
  std::string text;
  for (int i = std::max(1, line - kAround); i <= last; ++i) {
    text += fmt::format("{} {:>4}  {}\n", i == line ? ">" : " ", i,
                        printable(lines[static_cast<std::size_t>(i) - 1]));
  }
  return text.empty() ? text : fmt::format("\nSource around line {}:\n\n{}", line, text);
}

std::string place_text(const Request& request, const SourceSpot& spot) {
  return request.parent && spot.line > 0 ? lines_around(*request.parent, spot.line) : "";
}

std::string interval_of(const Speedup& speedup) {
  return fmt::format("{:.3g}x over the baseline (95 % interval {:.3g} to {:.3g}, {} pairs)",
                     speedup.value, speedup.low, speedup.high, speedup.pairs);
}

struct Describer {
  const Request& request;

  std::string operator()(const BuildFailed& failed) const {
    std::string text = "It does not build. The compiler, or the reader of plans, says:\n\n" +
                       quoted(failed.log, kMostLog);
    if (!request.parent) return text;
    std::set<int> places = lines_named(failed.log, request.parent->file);
    if (places.empty() && failed.spot.line > 0) places.insert(failed.spot.line);
    for (const int line : places) text += lines_around(*request.parent, line);
    return text;
  }

  std::string operator()(const Rejected& rejected) const {
    return fmt::format("It builds but breaks a rule, `{}`:\n\n{}", rejected.rule,
                       quoted(rejected.reason, kMostNote));
  }

  std::string operator()(const Crashed& crashed) const {
    std::string text =
        fmt::format("It crashes ({} fault{}). The sanitizer says:\n\n{}", name_of(crashed.fault),
                    crashed.kernel.empty() ? "" : ", kernel " + crashed.kernel,
                    quoted(crashed.message, kMostNote));
    return text + place_text(request, crashed.spot);
  }

  std::string operator()(const TimedOut& out) const {
    return fmt::format("It takes too long: phase {} exceeded {:g} {}.\n{}", out.phase, out.limit,
                       out.unit, quoted(out.detail, kMostNote));
  }

  std::string operator()(const WrongAnswer& wrong) const {
    std::string text = fmt::format(
        "It gives a wrong answer: tensor {} on workload {} with inputs of kind `{}`, gate `{}`: "
        "error {:.3g}, allowed {:.3g}.\n",
        wrong.tensor, wrong.workload, wrong.value_set, wrong.gate, wrong.error, wrong.limit);
    if (!wrong.index.empty()) {
      text += fmt::format("Worst at index [{}]: expected {:.9g}, got {:.9g}.\n",
                          fmt::join(wrong.index, ", "), wrong.expected, wrong.got);
    }
    return text + quoted(wrong.message, kMostNote);
  }

  std::string operator()(const Measured& measured) const {
    std::string text =
        fmt::format("It works and takes {} ({})", format_duration_ns(measured.nanoseconds),
                    name_of(measured.grade));
    if (measured.speedup) {
      text += ", " + interval_of(*measured.speedup);
    } else if (request.speedup) {
      text += fmt::format(", {:.3g}x over the baseline", *request.speedup);
    }
    text += fmt::format("; error {:.2g}, allowed {:.2g}{}.\n", measured.worst_error,
                        measured.error_limit,
                        measured.deterministic ? "" : "; its results vary between runs");
    return text + workloads(measured);
  }

  static std::string workloads(const Measured& measured) {
    if (measured.workloads.size() < 2) return "";
    std::string text;
    for (const TimedWorkload& timed : measured.workloads) {
      text += fmt::format("    {}: {}", timed.workload, format_duration_ns(timed.nanoseconds));
      text += timed.speedup ? fmt::format(", {}\n", interval_of(*timed.speedup)) : "\n";
    }
    return text;
  }
};

}  // namespace

std::string verdict_text(const Request& request) {
  if (!request.evaluation) return "";
  return "# Its verdict\n\n" + std::visit(Describer{request}, request.evaluation->outcome);
}

std::string source_text(const Candidate& parent) {
  std::string text = "# The current version\n\n" + fenced(parent.source, "cuda");
  for (const auto& [name, value] : parent.tune) {
    text += fmt::format("Tune parameter {} = {}.\n", name, value);
  }
  return text;
}

}  // namespace kp::propose
