// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kp::cli {
namespace {

constexpr int kBarWidth = 24;

}  // namespace

Progress::Progress(Terminal& terminal, int budget) : terminal_(terminal), budget_(budget) {}

void Progress::trying(int node, const store::ProposalRecord& proposal) {
  terminal_.status(bar() + fmt::format("  #{} {}", node, proposal.idea));
}

void Progress::judged(const store::NodeRecord& node, const store::ProposalRecord& proposal) {
  ++judged_;
  ++outcomes_[std::string(name_of(node.evaluation->outcome))];
  const bool better = node.speedup.value_or(0) > best_;
  best_ = std::max(best_, node.speedup.value_or(0));
  if (better || !terminal_.interactive()) terminal_.note(line_of(node, proposal));
  terminal_.status(bar());
}

void Progress::concluding(int node) {
  const std::string text = fmt::format("judging #{} at full depth", node);
  terminal_.interactive() ? terminal_.status(text) : terminal_.note(text);
}

std::string Progress::line_of(const store::NodeRecord& node,
                              const store::ProposalRecord& proposal) const {
  const std::string parent = node.parent ? fmt::format(" (of #{})", *node.parent) : "";
  if (const Measured* measured = node.evaluation->measured()) {
    return fmt::format("#{:<3} {:>6.2f}x  {:>9}  {}{}", node.id, node.speedup.value_or(1),
                       format_duration_ns(measured->nanoseconds), proposal.idea, parent);
  }
  return fmt::format("#{:<3} {:>7}  {}: {}{}", node.id, "-", name_of(node.evaluation->outcome),
                     proposal.idea, parent);
}

std::string Progress::bar() const {
  const int filled = budget_ > 0 ? std::min(kBarWidth, judged_ * kBarWidth / budget_) : 0;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
  const double per_minute = elapsed.count() > 0 ? 60 * judged_ / elapsed.count() : 0;
  const double left = per_minute > 0 ? 60 * (budget_ - judged_) / per_minute : 0;
  std::string counts;
  for (const auto& [outcome, count] : outcomes_) counts += fmt::format(" {} {}", count, outcome);
  return fmt::format("[{}{}] {}/{}  best {:.2f}x {}  {:.0f}/min  at most {:.0f} s left",
                     std::string(static_cast<std::size_t>(filled), '#'),
                     std::string(static_cast<std::size_t>(kBarWidth - filled), '.'), judged_,
                     budget_, best_, counts, per_minute, left);
}

}  // namespace kp::cli
