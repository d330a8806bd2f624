// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/history_text.h"

#include <fmt/format.h>

#include "propose/llm/quoted.h"

namespace kp::propose {
namespace {

constexpr std::size_t kMostAttempts = 12;     // the newest
constexpr std::size_t kMostExperiences = 10;  // the most alike
constexpr std::size_t kLongestEntry = 300;    // bytes

std::string gain_of(const std::optional<double>& gain) {
  return gain ? fmt::format("{:.2f}x its parent's speed", *gain) : "";
}

std::string action_of(const std::string& action) {
  return action.empty() ? "" : fmt::format(" [{}]", action);
}

std::string tune_of(const Bindings& tune) {
  std::string text;
  for (const auto& [name, value] : tune) text += fmt::format(" {}={}", name, value);
  return text;
}

std::string line_of(const Attempt& attempt) {
  const std::string what = attempt.idea.empty() ? "a version" : attempt.idea;
  std::string came = gain_of(attempt.gain);
  if (came.empty()) came = attempt.outcome;
  return fmt::format("{}{}{}{}{}", what, action_of(attempt.action), tune_of(attempt.tune),
                     came.empty() ? "" : ": ", came);
}

std::string line_of(const Experience& experience) {
  std::string came = gain_of(experience.gain);
  if (came.empty()) came = experience.outcome;
  if (!experience.lesson.empty()) came += ", " + experience.lesson;
  return fmt::format("{}: {}{}: {}", experience.task, experience.idea, action_of(experience.action),
                     came);
}

std::string attempts_text(const Request& request) {
  const auto& all = request.attempts;
  if (all.empty()) return "";
  std::string text = "Tried from this version:\n";
  const std::size_t first = all.size() > kMostAttempts ? all.size() - kMostAttempts : 0;
  for (std::size_t i = all.size(); i-- > first;) {
    text += fmt::format("| {}\n", on_one_line(line_of(all[i]), kLongestEntry));
  }
  return text;
}

std::string memory_text(const Request& request) {
  if (request.memory.empty()) return "";
  std::string text = "Tried on kernels with findings like these, the most alike first:\n";
  for (std::size_t i = 0; i < std::min(request.memory.size(), kMostExperiences); ++i) {
    text += fmt::format("| {}\n", on_one_line(line_of(request.memory[i]), kLongestEntry));
  }
  return text;
}

}  // namespace

std::string history_text(const Request& request) {
  const std::string text = attempts_text(request) + memory_text(request);
  return text.empty() ? text : "# What was tried\n\n" + text;
}

}  // namespace kp::propose
