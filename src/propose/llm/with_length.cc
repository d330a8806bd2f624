// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "assets/prompt_neutral.h"
#include "base/text.h"
#include "propose/llm/feedback.h"
#include "propose/llm/tokens.h"

namespace kp::propose {
namespace {

constexpr double kTolerance = 0.08;  // of the tokens asked for; the promise is 10 %

/// Whole lines up to `most` bytes, and of the next one as many words as still fit.
std::string front_of(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto line = text.rfind('\n', most);
  const std::size_t cut = line == std::string::npos ? 0 : line + 1;
  if (static_cast<double>(cut) >= (1 - kTolerance) * static_cast<double>(most)) {
    return text.substr(0, cut);
  }
  const auto word = text.rfind(' ', most - std::min<std::size_t>(most, 1));
  return text.substr(0, std::max(cut, word == std::string::npos ? 0 : word)) + "\n";
}

}  // namespace

std::string with_length(const std::string& text, std::size_t tokens) {
  const std::size_t most = bytes_of_tokens(tokens);
  std::string out = front_of(text, most);
  const auto sentences = split_lines(assets::prompt_neutral);
  for (std::size_t i = 0;
       static_cast<double>(out.size()) < (1 - kTolerance) * static_cast<double>(most); ++i) {
    out += front_of(std::string(sentences[i % sentences.size()]) + "\n", most - out.size());
  }
  return out;
}

}  // namespace kp::propose
