// SPDX-License-Identifier: Apache-2.0
// What a person or an agent is asked: the next nodes of a run, with the words that a model would
// get.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "loop/live_run.h"
#include "model/device_spec.h"

namespace kp::loop {

struct Question {
  OpenAsk ask;
  std::string text;     // the prompt
  nlohmann::json json;  // {"ask", "node", "role", "why", "task", "estimated_tokens", "prompt"}
};

/// `spec`: of the device, or null when it is not known yet.
Result<Question> question_of(LiveRun& run, const OpenAsk& ask, const DeviceSpec* spec);

/// New asks, at most `most`, until a stop rule speaks. kInvalidInput before the baseline is judged.
Result<std::vector<OpenAsk>> new_asks(LiveRun& run, int most);
/// Those that nobody answered yet, at most `most`.
std::vector<OpenAsk> unanswered_asks(const LiveRun& run, int most);

/// Which stop rule speaks, time left aside.
std::optional<search::StopReason> finished(const LiveRun& run);
/// Why new_asks() had none.
std::string why_none(const LiveRun& run);

}  // namespace kp::loop
