// SPDX-License-Identifier: Apache-2.0
// When a run ends. Each rule gives its reason as a sentence; the first to speak wins.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kp::search {

/// Where a run stands.
struct Progress {
  int evaluations = 0;  // all candidates tried, baseline included
  std::chrono::duration<double> elapsed{0};
  bool any_correct = false;   // the baseline counts
  int since_improvement = 0;  // evaluations since the best speedup last rose
  bool best_at_roof = false;  // the best candidate is at the hardware limit
  bool exhausted = false;     // the strategy has nothing left to ask
  int fruitless = 0;          // asks in a row that brought no proposal, though more may come
};

class StopRule {
 public:
  virtual ~StopRule() = default;
  /// "budget", "time", "at-roof", "no-progress", "exhausted", "fruitless".
  virtual std::string_view name() const = 0;
  /// Why the run ends here, or nothing.
  virtual std::optional<std::string> reason(const Progress& progress) const = 0;
};

/// Asks in a row without a proposal: a model that has nothing five times has no more to give, and
/// each ask costs money.
inline constexpr int kMostFruitless = 5;

struct StopOptions {
  int budget = 60;                        // evaluations, the baseline's among them
  std::chrono::duration<double> time{0};  // 0: no limit
  int patience = 24;                      // evaluations without improvement; 0: no limit
  bool stop_at_roof = true;
};

/// All rules that the options switch on, in the order in which they are asked.
std::vector<std::unique_ptr<StopRule>> make_stop_rules(const StopOptions& options);

struct StopReason {
  std::string rule;
  std::string sentence;
};
std::optional<StopReason> first_reason(const std::vector<std::unique_ptr<StopRule>>& rules,
                                       const Progress& progress);

}  // namespace kp::search
