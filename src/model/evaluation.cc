// SPDX-License-Identifier: Apache-2.0
#include "model/evaluation.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kp {
namespace {

/// The first line that says something, so that a compiler's log fits on one line of a terminal.
std::string first_error_line(std::string_view log) {
  std::string_view first;
  for (std::string_view line : split_lines(log)) {
    line = trim(line);
    if (line.find("error") != std::string_view::npos) return std::string(line);
    if (first.empty()) first = line;
  }
  return std::string(first);
}

std::string describe(const BuildFailed& failed) { return first_error_line(failed.log); }

std::string describe(const Rejected& rejected) {
  return fmt::format("{}: {}", rejected.rule, rejected.reason);
}

std::string describe(const Crashed& crashed) {
  std::string text = fmt::format("{}: {}", name_of(crashed.fault), crashed.message);
  if (crashed.spot.line > 0) text += fmt::format(" at {}", to_string(crashed.spot));
  return text;
}

std::string describe(const TimedOut& out) {
  std::string text = fmt::format("{} exceeded {:g} {}", out.phase, out.limit, out.unit);
  if (!out.detail.empty()) text += fmt::format(" ({})", out.detail);
  return text;
}

std::string describe(const WrongAnswer& wrong) {
  return fmt::format("{} (gate {}, error {:.3g}, limit {:.3g})", wrong.message, wrong.gate,
                     wrong.error, wrong.limit);
}

std::string describe(const Measured& measured) {
  std::string text =
      fmt::format("{} {}", format_duration_ns(measured.nanoseconds), name_of(measured.grade));
  if (measured.speedup) text += fmt::format(", {}", to_string(*measured.speedup));
  return text + fmt::format(", error {:.2g} of {:.2g}", measured.worst_error, measured.error_limit);
}

constexpr std::string_view kOutcomeNames[] = {"build failed", "rejected",     "crashed",
                                              "timed out",    "wrong answer", "measured"};
static_assert(std::size(kOutcomeNames) == std::variant_size_v<Outcome>);

}  // namespace

std::string_view name_of(const Outcome& outcome) { return kOutcomeNames[outcome.index()]; }

std::string_view name_of(FaultKind fault) {
  switch (fault) {
    case FaultKind::kMemory:
      return "memory";
    case FaultKind::kMisaligned:
      return "misaligned";
    case FaultKind::kRace:
      return "race";
    case FaultKind::kUninitialised:
      return "uninitialised";
    case FaultKind::kBarrier:
      return "barrier";
    case FaultKind::kIllegalInstruction:
      return "illegal instruction";
    case FaultKind::kTrap:
      return "trap";
    case FaultKind::kOutOfResources:
      return "out of resources";
    case FaultKind::kUnsupported:
      return "unsupported";
  }
  return "memory";
}

std::string to_string(const Speedup& speedup) {
  return fmt::format("{:.3g}x over the baseline (95 %: {:.3g} to {:.3g}, {} pairs)", speedup.value,
                     speedup.low, speedup.high, speedup.pairs);
}

std::string_view name_of(Depth depth) { return depth == Depth::kQuick ? "quick" : "final"; }

std::string summary(const Evaluation& evaluation) {
  const std::string detail =
      std::visit([](const auto& outcome) { return describe(outcome); }, evaluation.outcome);
  return fmt::format("{}: {}", name_of(evaluation.outcome), detail);
}

}  // namespace kp
