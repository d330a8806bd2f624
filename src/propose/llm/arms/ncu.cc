// SPDX-License-Identifier: Apache-2.0
// What Nsight Compute's own rules say of the kernels, in their words.
#include <fmt/format.h>

#include "base/text.h"
#include "propose/llm/feedback.h"
#include "propose/llm/quoted.h"

namespace kp::propose {
namespace {

constexpr std::size_t kMostRule = 1200;  // bytes of one rule's text

class Ncu final : public Feedback {
 public:
  Arm arm() const override { return Arm::kNcu; }
  Result<std::string> text(const Request& request) const override {
    const Measured* measured = request.evaluation ? request.evaluation->measured() : nullptr;
    if (!measured) return std::string();
    if (measured->profile.rules.empty()) {
      return fail(ErrorCode::kUnavailable,
                  fmt::format("the profile of the parent ({}) has no rules of Nsight Compute",
                              measured->profile.source),
                  join(measured->profile.notes, "; ") +
                      (measured->profile.notes.empty() ? "" : "; ") +
                      "use --arm tools, raw, placebo or none otherwise");
    }
    std::string out = "# Nsight Compute\n";
    for (const RuleText& rule : measured->profile.rules) {
      out += fmt::format("\n{}, {}:\n{}", rule.kernel, rule.rule, quoted(rule.text, kMostRule));
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Feedback> make_ncu_arm() { return std::make_unique<Ncu>(); }

}  // namespace kp::propose
