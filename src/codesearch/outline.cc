// SPDX-License-Identifier: Apache-2.0
#include "codesearch/outline.h"

#include "base/text.h"
#include "codesearch/words.h"

namespace kp::codesearch {
namespace {

/// The identifier behind `word` at the start of `line`, or nothing.
std::string_view named_by(std::string_view line, std::string_view word) {
  if (!starts_with_word(line, word)) return {};
  const auto names = identifiers_of(line.substr(word.size()));
  return names.empty() ? std::string_view() : names.front();
}

Outline outline_of_python(std::string_view text) {
  Outline outline;
  int number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    std::string_view code = trim(line);
    if (starts_with_word(code, "async")) code = trim(code.substr(5));
    std::string_view name = named_by(code, "def");
    if (name.empty()) name = named_by(code, "class");
    if (!name.empty()) outline.symbols.push_back({number, std::string(name)});
    const bool outermost = !line.empty() && line.front() != ' ' && line.front() != '\t';
    if (outermost && (!name.empty() || line.front() == '@')) outline.starts.push_back(number);
  }
  return outline;
}

/// A line under a title of reStructuredText.
bool is_underline(std::string_view line) {
  return line.size() >= 3 && std::string_view("=-~^*#\"").find(line[0]) != std::string_view::npos &&
         line.find_first_not_of(line[0]) == std::string_view::npos;
}

Outline outline_of_prose(std::string_view text) {
  Outline outline;
  int number = 0;
  bool before_is_text = false;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (line.starts_with('#') && !is_underline(line)) outline.starts.push_back(number);
    if (is_underline(line) && before_is_text) outline.starts.push_back(number - 1);
    before_is_text = !trim(line).empty() && !is_underline(line);
  }
  return outline;
}

}  // namespace

Outline outline_of(std::string_view path, std::string_view text) {
  if (path.ends_with(".py") || path.ends_with(".pyi")) return outline_of_python(text);
  if (path.ends_with(".md") || path.ends_with(".rst")) return outline_of_prose(text);
  return outline_of_cuda(text);
}

}  // namespace kp::codesearch
