// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/prose.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "propose/llm/quoted.h"

namespace kp::propose {
namespace {

constexpr std::size_t kLongestSentence = 240;  // bytes; an idea is one line of a report

/// Without what Markdown and comments put in front of and behind words.
std::string_view undecorated(std::string_view line) {
  const auto begin = std::min(line.find_first_not_of(" \t#*>-_`/+."), line.size());
  line.remove_prefix(begin);
  const auto end = line.find_last_not_of(" \t*_`");
  return line.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

bool equal_ignoring_case(std::string_view a, std::string_view lower) {
  return std::equal(a.begin(), a.end(), lower.begin(), lower.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == y;
  });
}

/// Up to the first full stop, question or exclamation mark that ends a word.
std::string_view sentence_of(std::string_view text) {
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const bool mark = text[i] == '.' || text[i] == '!' || text[i] == '?';
    if (mark && std::isspace(static_cast<unsigned char>(text[i + 1])) &&
        !std::isspace(static_cast<unsigned char>(text[i - 1]))) {
      return text.substr(0, i);
    }
  }
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

bool is_sentence(std::string_view line) {
  return line.size() > 2 && !line.ends_with(':') && line.find(' ') != std::string_view::npos;
}

std::string shown(std::string_view text) {
  return on_one_line(undecorated(sentence_of(undecorated(text))), kLongestSentence);
}

}  // namespace

std::string labelled(std::string_view text, std::string_view label) {
  std::string found;
  for (const std::string_view line : split_lines(text)) {
    const std::string_view words = undecorated(line);
    const auto colon = words.find(':');
    if (colon == std::string_view::npos) continue;
    if (!equal_ignoring_case(undecorated(words.substr(0, colon)), label)) continue;
    found = on_one_line(undecorated(words.substr(colon + 1)), kLongestSentence);
  }
  return found;
}

std::string first_sentence(std::string_view prose) {
  for (const std::string_view line : split_lines(prose)) {
    const bool heading = trim(line).starts_with('#');
    const std::string_view words = undecorated(line);
    if (!heading && is_sentence(words)) return shown(words);
  }
  return "";
}

std::string first_comment(std::string_view source) {
  for (std::size_t at = 0; at < source.size();) {
    const auto line = source.find("//", at), block = source.find("/*", at);
    if (line == std::string_view::npos && block == std::string_view::npos) return "";
    const bool is_line = line < block;
    const auto begin = std::min(line, block) + 2;
    const auto end = std::min(source.find(is_line ? "\n" : "*/", begin), source.size());
    const std::string_view text = trim(source.substr(begin, end - begin));
    const bool names_other = text.starts_with("SPDX") || starts_with_word(text, "kernelpro");
    if (!names_other && is_sentence(undecorated(text))) return shown(text);
    at = end;
  }
  return "";
}

}  // namespace kp::propose
