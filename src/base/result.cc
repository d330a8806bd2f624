// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <fmt/format.h>

namespace kp {

std::string to_string(const SourceSpot& spot) {
  std::string text = spot.file;
  if (spot.line <= 0) return text;
  if (!text.empty()) text += ':';
  text += fmt::format("{}", spot.line);
  if (spot.column > 0) text += fmt::format(":{}", spot.column);
  return text;
}

Error Error::within(std::string_view what) && {
  context = context.empty() ? std::string(what) : fmt::format("{}: {}", what, context);
  return std::move(*this);
}

std::string Error::text() const {
  std::string text = to_string(spot);
  for (const std::string& part : {context, message}) {
    if (part.empty()) continue;
    if (!text.empty()) text += ": ";
    text += part;
  }
  if (!hint.empty()) text += "\nhint: " + hint;
  return text;
}

}  // namespace kp
