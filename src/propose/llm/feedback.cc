// SPDX-License-Identifier: Apache-2.0
// The only list of arms.
#include "propose/llm/feedback.h"

#include <vector>

#include "base/check.h"
#include "propose/llm/tokens.h"

namespace kp::propose {

const Feedback& feedback_of(Arm arm) {
  static const auto all = [] {
    std::vector<std::unique_ptr<Feedback>> list;
    for (auto* make :
         {make_tools_arm, make_raw_arm, make_ncu_arm, make_placebo_arm, make_none_arm}) {
      list.push_back(make());
    }
    return list;
  }();
  for (const auto& feedback : all) {
    if (feedback->arm() == arm) return *feedback;
  }
  check_failed("known arm", __FILE__, __LINE__, "every arm is in the list");
}

Result<std::string> matched_feedback(Arm arm, const Request& request) {
  KP_TRY(std::string text, feedback_of(arm).text(request));
  if (arm == Arm::kTools || arm == Arm::kNone || text.empty()) return text;
  KP_TRY(const std::string tools, feedback_of(Arm::kTools).text(request));
  return tools.empty() ? text : with_length(text, estimate_tokens(tools));
}

}  // namespace kp::propose
