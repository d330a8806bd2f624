// SPDX-License-Identifier: Apache-2.0
#include "llm/refusal.h"

#include <fmt/format.h>

#include "llm/foreign_json.h"
#include "llm/retries.h"

namespace kp::llm {
namespace {

/// 408 and 409 are what servers answer that lost a request; 529 is Anthropic's "overloaded".
bool may_pass(long status, const std::string& body) {
  if (status == 429) return body.find("insufficient_quota") == std::string::npos;
  return status == 408 || status == 409 || status >= 500;
}

std::string hint_for(const Answer& answer, const std::string& complaint, const KeyName& key) {
  if (is_overflow(complaint) || answer.status == 413) {
    return "shorten the prompt, or take a model with a larger context";
  }
  switch (answer.status) {
    case 401:
    case 403:
      return fmt::format("check {} and what the key is allowed to do", key.variable);
    case 404:
      return "check the name of the model and the address";
    case 429:
      return "check the limits and the balance of the account, or try again later";
    default:
      break;
  }
  if (answer.status / 100 == 3) {
    return fmt::format("keys are not sent on to another address; if {} is meant, give it",
                       answer.location.empty() ? "another one" : answer.location.substr(0, 200));
  }
  return answer.status >= 500 ? "try again later, or another model" : "";
}

}  // namespace

Trouble trouble_of(const Answer& answer, const Endpoint& endpoint, const KeyName& key) {
  const std::string complaint = complaint_in(answer.body);
  const bool passes = may_pass(answer.status, answer.body);
  const ErrorCode code = passes ? ErrorCode::kUnavailable : ErrorCode::kInvalidInput;
  Trouble trouble{Error{code,
                        fmt::format("{} answers {}{}{}", endpoint.host, answer.status,
                                    complaint.empty() ? "" : ": ", complaint),
                        hint_for(answer, complaint, key),
                        {},
                        {}},
                  passes, std::nullopt};
  if (passes) trouble.wait = wait_asked(answer.retry_after, answer.date);
  return trouble;
}

}  // namespace kp::llm
