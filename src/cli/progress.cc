// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kp::cli {
namespace {

// Leaves room for counts and an idea on 80 columns.
constexpr int kBarWidth = 12;
constexpr int kLeastIdea = 20;  // columns; what is cut shorter says nothing

std::string wait_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", std::ceil(seconds / 60));
  return fmt::format("{:.0f} h", std::ceil(seconds / 3600));
}

}  // namespace

Progress::Progress(Terminal& terminal, int budget) : terminal_(terminal), budget_(budget) {}

void Progress::recall(const store::NodeSummary& node) {
  if (!node.proposal) return;
  ++judged_;
  ++recalled_;
  ++outcomes_[node.outcome];
  best_ = std::max(best_, node.speedup.value_or(0));
}

void Progress::trying(int node, const store::ProposalRecord& proposal) {
  std::string text = bar() + fmt::format("  #{}", node);
  const int room = terminal_.columns() - static_cast<int>(text.size());
  if (room > kLeastIdea) text += " " + proposal.idea;
  terminal_.status(text);
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
  return fmt::format("#{:<3} {:>7}  {:>9}  {}: {}{}", node.id, "-", "-",
                     name_of(node.evaluation->outcome), proposal.idea, parent);
}

std::string Progress::pace() const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
  const int here = judged_ - recalled_;
  if (here <= 0 || elapsed.count() <= 0) return "";
  const double each = elapsed.count() / here;
  return fmt::format("  {:.0f}/min, up to {} left", 60 / each,
                     wait_text(each * std::max(0, budget_ - judged_)));
}

std::string Progress::bar() const {
  const int filled = budget_ > 0 ? std::min(kBarWidth, judged_ * kBarWidth / budget_) : 0;
  std::string text =
      fmt::format("[{}{}] {}/{}", std::string(static_cast<std::size_t>(filled), '#'),
                  std::string(static_cast<std::size_t>(kBarWidth - filled), '.'), judged_, budget_);
  if (best_ > 0) text += fmt::format("  best {:.2f}x", best_);
  std::vector<std::string> counts;
  for (const auto& [outcome, count] : outcomes_) {
    counts.push_back(fmt::format("{} {}", count, outcome));
  }
  return text + pace() + (counts.empty() ? "" : "  " + join(counts, ", "));
}

}  // namespace kp::cli
