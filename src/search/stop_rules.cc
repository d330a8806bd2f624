// SPDX-License-Identifier: Apache-2.0
#include "search/stop_rules.h"

#include <fmt/format.h>

namespace kp::search {
namespace {

class AtRoof final : public StopRule {
 public:
  std::string_view name() const override { return "at-roof"; }
  std::optional<std::string> reason(const Progress& progress) const override {
    if (!progress.best_at_roof) return std::nullopt;
    return "the best version is at the hardware limit; only fusion with a neighbouring kernel or "
           "narrower types could help";
  }
};

class Exhausted final : public StopRule {
 public:
  std::string_view name() const override { return "exhausted"; }
  std::optional<std::string> reason(const Progress& progress) const override {
    if (!progress.exhausted) return std::nullopt;
    return "the proposer has nothing more to try";
  }
};

class Fruitless final : public StopRule {
 public:
  std::string_view name() const override { return "fruitless"; }
  std::optional<std::string> reason(const Progress& progress) const override {
    if (progress.fruitless < kMostFruitless) return std::nullopt;
    return fmt::format(
        "{} asks in a row brought no proposal; the notes of the run say why, and `kernelpro "
        "resume` asks again",
        kMostFruitless);
  }
};

class Budget final : public StopRule {
 public:
  explicit Budget(int most) : most_(most) {}
  std::string_view name() const override { return "budget"; }
  std::optional<std::string> reason(const Progress& progress) const override {
    if (progress.evaluations < most_) return std::nullopt;
    return fmt::format("the budget of {} evaluations is spent", most_);
  }

 private:
  int most_;
};

class TimeLimit final : public StopRule {
 public:
  explicit TimeLimit(std::chrono::duration<double> most) : most_(most) {}
  std::string_view name() const override { return "time"; }
  std::optional<std::string> reason(const Progress& progress) const override {
    if (progress.elapsed < most_) return std::nullopt;
    return fmt::format("the time limit of {:.0f} s is reached", most_.count());
  }

 private:
  std::chrono::duration<double> most_;
};

/// Counts only once something works: a hard task may fail many times before its first correct
/// kernel.
class NoProgress final : public StopRule {
 public:
  explicit NoProgress(int patience) : patience_(patience) {}
  std::string_view name() const override { return "no-progress"; }
  std::optional<std::string> reason(const Progress& progress) const override {
    if (!progress.any_correct || progress.since_improvement < patience_) return std::nullopt;
    return fmt::format("{} evaluations in a row brought no improvement", patience_);
  }

 private:
  int patience_;
};

}  // namespace

std::vector<std::unique_ptr<StopRule>> make_stop_rules(const StopOptions& options) {
  std::vector<std::unique_ptr<StopRule>> rules;
  if (options.stop_at_roof) rules.push_back(std::make_unique<AtRoof>());
  rules.push_back(std::make_unique<Exhausted>());
  rules.push_back(std::make_unique<Fruitless>());
  rules.push_back(std::make_unique<Budget>(options.budget));
  if (options.time.count() > 0) rules.push_back(std::make_unique<TimeLimit>(options.time));
  if (options.patience > 0) rules.push_back(std::make_unique<NoProgress>(options.patience));
  return rules;
}

std::optional<StopReason> first_reason(const std::vector<std::unique_ptr<StopRule>>& rules,
                                       const Progress& progress) {
  for (const auto& rule : rules) {
    if (auto sentence = rule->reason(progress)) {
      return StopReason{std::string(rule->name()), *std::move(sentence)};
    }
  }
  return std::nullopt;
}

}  // namespace kp::search
