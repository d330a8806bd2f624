// SPDX-License-Identifier: Apache-2.0
#include "task/source_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace kp::task {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Index just after the quoted literal that starts at `at`; such a literal never spans lines, so a
/// lone quote costs one line at most.
std::size_t after_literal(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    } else if (text[i] == '\n') {
      return i;
    }
  }
  return text.size();
}

/// End of R"tag( ... )tag" whose quote is at `quote`; the quote's own index when it is not one.
std::size_t after_raw_string(std::string_view text, std::size_t quote) {
  constexpr std::size_t kLongestTag = 16;
  const std::size_t open = text.find('(', quote);
  if (open == std::string_view::npos || open - quote - 1 > kLongestTag) return quote;
  const std::string close = ")" + std::string(text.substr(quote + 1, open - quote - 1)) + "\"";
  const std::size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

Inert comment_at(std::string_view text, std::size_t at) {
  if (text[at + 1] == '/') {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    return {{at, end}, Inert::Kind::kLineComment, true};
  }
  const std::size_t end = text.find("*/", at + 2);
  const bool closed = end != std::string_view::npos;
  return {{at, closed ? end + 2 : text.size()}, Inert::Kind::kBlockComment, closed};
}

bool starts_comment(std::string_view text, std::size_t at) {
  return text[at] == '/' && at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '*');
}

/// The text with comments and raw strings blanked out, newlines kept.
std::string without_inert(std::string_view source) {
  std::string text(source);
  for (const Inert& inert : inert_spans(source)) {
    for (std::size_t i = inert.span.begin; i < inert.span.end; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
  }
  return text;
}

/// End of the logical line that starts at `begin`: the first newline without a backslash before it.
std::size_t logical_line_end(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] != '\n') continue;
    const std::size_t last = i > begin && text[i - 1] == '\r' ? i - 2 : i - 1;
    if (i == begin || text[last] != '\\') return i;
  }
  return text.size();
}

std::string joined(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && line.substr(i + 1, 1) == "\n") {
      ++i;
    } else if (line[i] == '\\' && line.substr(i + 1, 2) == "\r\n") {
      i += 2;
    } else {
      text += line[i];
    }
  }
  return text;
}

/// What follows `#include` on a line, trimmed; absent when the line is no include.
std::optional<std::string> include_operand(const std::string& line) {
  std::string_view rest = trim(line);
  if (rest.starts_with('#')) {
    rest.remove_prefix(1);
  } else if (rest.starts_with("%:")) {
    rest.remove_prefix(2);
  } else {
    return std::nullopt;
  }
  rest = trim(rest);
  for (const std::string_view word : {"include_next", "include", "import"}) {
    if (!rest.starts_with(word)) continue;
    const std::string_view after = rest.substr(word.size());
    if (!after.empty() && is_word(after.front())) continue;
    return std::string(trim(after));
  }
  return std::nullopt;
}

std::string header_name(const std::string& operand) {
  if (operand.empty()) return {};
  const char close = operand.front() == '<' ? '>' : '"';
  if (operand.front() != '<' && operand.front() != '"') return {};
  const std::size_t end = operand.find(close, 1);
  return end == std::string::npos ? std::string() : operand.substr(1, end - 1);
}

}  // namespace

TextMap::TextMap(std::string_view text, std::string file)
    : line_starts_{0}, file_(std::move(file)) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
}

SourceSpot TextMap::spot(std::size_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *(after - 1);
  return {file_, static_cast<int>(after - line_starts_.begin()),
          static_cast<int>(offset - start) + 1};
}

std::vector<Inert> inert_spans(std::string_view source) {
  std::vector<Inert> spans;
  std::size_t i = 0;
  while (i < source.size()) {
    const char c = source[i];
    const bool in_word = i > 0 && is_word(source[i - 1]);
    if (starts_comment(source, i)) {
      spans.push_back(comment_at(source, i));
      i = spans.back().span.end;
    } else if (c == '"' && i > 0 && source[i - 1] == 'R' && after_raw_string(source, i) != i) {
      spans.push_back({{i, after_raw_string(source, i)}, Inert::Kind::kRawString, true});
      i = spans.back().span.end;
    } else if (c == '"' || (c == '\'' && !in_word)) {  // 1'000 has a separator, not a literal
      i = after_literal(source, i);
    } else {
      ++i;
    }
  }
  return spans;
}

std::vector<Include> find_includes(std::string_view source) {
  const std::string text = without_inert(source);
  std::vector<Include> includes;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = logical_line_end(text, begin);
    const std::string line = joined(std::string_view(text).substr(begin, end - begin));
    if (const auto operand = include_operand(line)) {
      const std::size_t indent = text.find_first_not_of(" \t\r\\\n", begin);
      includes.push_back({header_name(*operand), std::min(indent, end)});
    }
    begin = end + 1;
  }
  return includes;
}

}  // namespace kp::task
