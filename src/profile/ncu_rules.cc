// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu_rules.h"

#include <fmt/format.h>

#include "profile/ncu.h"

namespace kp::profile {
namespace {

RuleText text_of(const RuleMessage& message) {
  RuleText rule{short_name(message.kernel), message.rule, message.text};
  if (message.speedup_pct) {
    rule.text += fmt::format(" (estimated {} speedup: {:.4g} %)", message.speedup_type,
                             *message.speedup_pct);
  }
  return rule;
}

class NcuRules : public Source {
 public:
  std::string_view name() const override { return "ncu"; }
  bool serves(const device::Description& device) const override {
    return device.timing == Grade::kMeasured;
  }
  // As with counters: where it cannot be had, that is a note.
  Result<void> collect(const ProfileRequest& request, Profile& profile) const override {
    const bool full = request.effort == ProfileRequest::Effort::kFull;
    if (!request.vendor_rules || !full || request.hardware == nullptr || request.loaded == nullptr)
      return {};
    auto page = request.hardware->observer().rules(*request.loaded, {.steps = request.steps});
    auto recording = page ? parse_ncu_csv(*page, "page details of ncu")
                          : tl::unexpected<Error>(std::move(page).error());
    if (!recording) {
      profile.notes.push_back("no rules of Nsight Compute: " + recording.error().text());
      return {};
    }
    for (const RuleMessage& message : recording->rules) profile.rules.push_back(text_of(message));
    return {};
  }
};

}  // namespace

std::unique_ptr<Source> ncu_rules_source() { return std::make_unique<NcuRules>(); }

}  // namespace kp::profile
