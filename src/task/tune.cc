// SPDX-License-Identifier: Apache-2.0
// The assignments of tune parameters that a plan allows.
#include <fmt/format.h>

#include <algorithm>

#include "task/task.h"

namespace kp::task {
namespace {

constexpr std::size_t kMostVisited = 200'000;  // partial assignments, so that no plan takes long

/// Walks the tree of assignments in lexicographic order and drops a branch as soon as a condition,
/// whose names all have values, is false for some workload.
class Enumeration {
 public:
  Enumeration(const Task& task, const Plan& plan, std::size_t most)
      : plan_(plan), most_(most), ready_(plan.tunes.size()) {
    for (const Workload& workload : task.workloads) scopes_.push_back(workload.axes);
    for (const Tune& tune : plan.tunes) {
      if (tune.where) ready_[last_name(*tune.where)].push_back(&tune);
    }
  }

  Result<std::vector<Bindings>> run() {
    KP_TRY_VOID(assign(0));
    move_default_first();
    return std::move(found_);
  }

 private:
  /// The index of the last tune parameter that a condition names; 0 when it names none.
  std::size_t last_name(const Expr& where) const {
    std::size_t last = 0;
    const std::set<std::string> names = where.names();
    for (std::size_t i = 0; i < plan_.tunes.size(); ++i) {
      if (names.contains(plan_.tunes[i].name)) last = i;
    }
    return last;
  }

  Result<bool> holds(std::size_t index) const {
    for (const Tune* tune : ready_[index]) {
      for (const Bindings& scope : scopes_) {
        Result<std::int64_t> value = tune->where->evaluate(scope);
        if (!value) {
          Error error = std::move(value).error();
          error.spot = tune->spot;
          return tl::unexpected<Error>(std::move(error));
        }
        if (*value == 0) return false;
      }
    }
    return true;
  }

  Result<void> assign(std::size_t index) {
    if (index == plan_.tunes.size()) return record();
    const Tune& tune = plan_.tunes[index];
    for (const std::int64_t value : tune.values) {
      if (++visited_ > kMostVisited) return too_many(kMostVisited);
      choice_[tune.name] = value;
      for (Bindings& scope : scopes_) scope[tune.name] = value;
      KP_TRY(const bool allowed, holds(index));
      if (allowed) KP_TRY_VOID(assign(index + 1));
    }
    return {};
  }

  Result<void> record() {
    if (found_.size() == most_) return too_many(most_);
    found_.push_back(choice_);
    return {};
  }

  Result<void> too_many(std::size_t limit) const {
    Error error{ErrorCode::kLimit,
                fmt::format("the plan has more than {} tune variants", limit),
                "list fewer values or add a `where` condition",
                plan_.tunes.empty() ? plan_.spot : plan_.tunes.front().spot,
                {}};
    return tl::unexpected<Error>(std::move(error));
  }

  void move_default_first() {
    Bindings first;
    for (const Tune& tune : plan_.tunes) first[tune.name] = tune.values.front();
    const auto at = std::find(found_.begin(), found_.end(), first);
    if (at != found_.end()) std::rotate(found_.begin(), at, at + 1);
  }

  const Plan& plan_;
  std::size_t most_;
  std::size_t visited_ = 0;
  std::vector<std::vector<const Tune*>> ready_;  // conditions by the index at which they are known
  std::vector<Bindings> scopes_;                 // one a workload
  Bindings choice_;
  std::vector<Bindings> found_;
};

}  // namespace

Result<std::vector<Bindings>> tune_choices(const Task& task, const Plan& plan, std::size_t most) {
  return Enumeration(task, plan, most).run();
}

}  // namespace kp::task
