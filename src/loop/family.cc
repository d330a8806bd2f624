// SPDX-License-Identifier: Apache-2.0
#include "loop/family.h"

#include <utility>

namespace kp::loop {

void Family::add(int parent, Member member, propose::Attempt attempt) {
  if (!attempt.candidate.empty()) known_.push_back(attempt.candidate);
  if (parent >= 0) {
    members_[static_cast<std::size_t>(parent)].attempts.push_back(std::move(attempt));
  }
  members_.push_back(std::move(member));
}

void Family::look_into(int node, std::optional<std::pair<Profile, Diagnosis>> fuller) {
  Member& member = members_[static_cast<std::size_t>(node)];
  member.looked_into = true;
  Measured* measured =
      member.evaluation ? std::get_if<Measured>(&member.evaluation->outcome) : nullptr;
  if (!fuller || !measured) return;
  measured->profile = std::move(fuller->first);
  member.diagnosis = std::move(fuller->second);
}

int Family::evaluations() const {
  const bool virtual_root = !members_.empty() && !members_.front().evaluation;
  return static_cast<int>(members_.size()) - (virtual_root ? 1 : 0);
}

search::Trial Family::judge(const Member& member) {
  if (!member.evaluation) return {search::Fate::kVirtual, 0};
  if (const Measured* measured = member.evaluation->measured()) {
    if (!reference_ns_) reference_ns_ = measured->nanoseconds;
    return {search::Fate::kCorrect, speedup_of(*measured)};
  }
  const bool wrong = std::holds_alternative<WrongAnswer>(member.evaluation->outcome);
  return {wrong ? search::Fate::kWrong : search::Fate::kBroken, 0};
}

double Family::speedup_of(const Measured& measured) const {
  if (measured.speedup) return measured.speedup->value;
  return reference_ns_.value_or(measured.nanoseconds) / measured.nanoseconds;
}

}  // namespace kp::loop
