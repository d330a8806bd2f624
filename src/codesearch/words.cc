// SPDX-License-Identifier: Apache-2.0
#include "codesearch/words.h"

#include "base/text.h"

namespace kp::codesearch {
namespace {

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool is_part(char c) { return is_small(c) || is_capital(c) || is_digit(c) || c == '_'; }

bool begins_word(std::string_view name, std::size_t at) {
  if (!is_capital(name[at])) return false;
  const char before = name[at - 1];
  if (is_small(before) || is_digit(before)) return at + 1 < name.size() || is_small(before);
  return is_capital(before) && at + 1 < name.size() && is_small(name[at + 1]);
}

bool has_humps(std::string_view name) {
  for (std::size_t i = 1; i < name.size(); ++i) {
    if (begins_word(name, i)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string_view> identifiers_of(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_part(text[end])) ++end;
    if (end > at) found.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

std::vector<std::string_view> words_of(std::string_view identifier) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= identifier.size(); ++i) {
    const bool end = i == identifier.size() || identifier[i] == '_';
    if (!end && (i == begin || !begins_word(identifier, i))) continue;
    if (i > begin) words.push_back(identifier.substr(begin, i - begin));
    begin = end ? i + 1 : i;
  }
  return words;
}

std::string with_words(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_part(text[end])) ++end;
    const std::string_view name = text.substr(at, end - at);
    out += name;
    if (has_humps(name)) {
      for (const std::string_view word : words_of(name)) (out += ' ') += word;
    }
    if (end < text.size()) out += text[end];
    at = end + 1;
  }
  return out;
}

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c;
  return small;
}

}  // namespace kp::codesearch
