// SPDX-License-Identifier: Apache-2.0
#include "search/growing.h"

#include "base/random.h"

namespace kp::search {

std::string_view name_of(Role role) {
  switch (role) {
    case Role::kSeed:
      return "seed";
    case Role::kImprove:
      return "improve";
    case Role::kRepair:
      break;
  }
  return "repair";
}

std::optional<Ask> Growing::ask() {
  const int id = pick();
  if (id < 0) return std::nullopt;
  Ask ask{id, Role::kRepair, why(id)};
  if (tree_.node(id).trial.fate == Fate::kVirtual) ask.role = Role::kSeed;
  if (tree_.node(id).trial.fate == Fate::kCorrect) ask.role = Role::kImprove;
  tree_.mark_pending(id, +1);
  return ask;
}

void Growing::close(const Ask& ask, bool exhausted) {
  tree_.mark_pending(ask.node, -1);
  if (exhausted) tree_.mark_exhausted(ask.node);
}

bool Growing::before(int a, int b) const {
  const auto key = [this](int id) {
    return philox(options_.seed, static_cast<std::uint64_t>(id))[0];
  };
  return key(a) != key(b) ? key(a) < key(b) : a < b;
}

}  // namespace kp::search
