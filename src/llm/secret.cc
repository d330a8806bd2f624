// SPDX-License-Identifier: Apache-2.0
#include "llm/secret.h"

#include <fmt/format.h>

#include <algorithm>

namespace kp::llm {
namespace {

constexpr std::string_view kMark = "[key]";

/// What can stand in a header and is written in JSON as it is, so that redaction finds it there.
bool may_be_in_key(char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; }

}  // namespace

Result<Secret> Secret::make(std::string text, std::string_view origin) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), may_be_in_key)) {
    return Secret(std::move(text));
  }
  return fail(ErrorCode::kInvalidInput, fmt::format("what {} holds is no key", origin),
              "a key is one word of printable ASCII characters without quotes");
}

std::string Secret::redact(std::string_view text) const {
  std::string out;
  while (!empty()) {
    const std::size_t found = text.find(text_);
    if (found == std::string_view::npos) break;
    out += text.substr(0, found);
    out += kMark;
    text.remove_prefix(found + text_.size());
  }
  return out.append(text);
}

Error Secret::redact(Error error) const {
  error.message = redact(error.message);
  error.hint = redact(error.hint);
  error.context = redact(error.context);
  error.spot.file = redact(error.spot.file);
  return error;
}

}  // namespace kp::llm
