// SPDX-License-Identifier: Apache-2.0
#include "ptx/lexer.h"

#include <array>

namespace kp::ptx {
namespace {

enum : std::uint8_t { kBlank = 1, kName = 2, kDigit = 4, kNumberPart = 8 };

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\r', '\v', '\f'})
    classes[static_cast<unsigned char>(c)] = kBlank;
  for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = kName | kNumberPart;
  for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] = kName | kNumberPart;
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = kName | kDigit | kNumberPart;
  for (const char c : {'_', '$', '%'}) classes[static_cast<unsigned char>(c)] = kName;
  classes['.'] = kNumberPart;
  return classes;
}
constexpr auto kClasses = make_classes();

bool is(char c, std::uint8_t what) { return (kClasses[static_cast<unsigned char>(c)] & what) != 0; }

}  // namespace

bool Lexer::skip_blank() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (is(c, kBlank)) {
      ++at_;
    } else if (c == '/' && text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '/' && text_.substr(at_, 2) == "/*") {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) return false;
      for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
    } else {
      break;
    }
  }
  return true;
}

Token Lexer::make(TokenKind kind, std::size_t begin) const {
  return {kind, text_.substr(begin, at_ - begin), line_};
}

Token Lexer::next() {
  if (!skip_blank()) {
    const Token bad{TokenKind::kBad, text_.substr(at_, 2), line_};
    at_ = text_.size();
    return bad;
  }
  if (at_ >= text_.size()) return {TokenKind::kEnd, text_.substr(text_.size()), line_};
  const char c = text_[at_];
  if (is(c, kDigit)) return number();
  if (is(c, kName)) return word();
  if (c == '"') return string();
  const std::size_t begin = at_++;
  if (c == '.' && at_ < text_.size() && is(text_[at_], kName)) {
    while (at_ < text_.size() && is(text_[at_], kName)) ++at_;
    return make(TokenKind::kDirective, begin);
  }
  constexpr std::string_view kPunctuation = ",;:{}()[]<>|!@=+-~*&?/";
  const bool known = kPunctuation.find(c) != std::string_view::npos;
  return make(known ? TokenKind::kPunctuation : TokenKind::kBad, begin);
}

Token Lexer::word() {
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    if (is(text_[at_], kName)) {
      ++at_;
    } else if (text_[at_] == '.' && at_ + 1 < text_.size() && is(text_[at_ + 1], kName)) {
      at_ += 2;
    } else if (text_[at_] == ':' && text_.substr(at_, 2) == "::") {
      at_ += 2;
    } else {
      break;
    }
  }
  return make(TokenKind::kWord, begin);
}

Token Lexer::number() {
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    // The sign of a decimal exponent; in hexadecimal text "e" is a digit.
    const bool exponent_sign = (c == '+' || c == '-') && (text_[at_ - 1] | 0x20) == 'e' &&
                               text_.substr(begin, at_ - begin).find('.') != std::string_view::npos;
    if (!is(c, kNumberPart) && !exponent_sign) break;
    ++at_;
  }
  return make(TokenKind::kNumber, begin);
}

Token Lexer::string() {
  const std::size_t begin = ++at_;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') ++at_;
  if (at_ >= text_.size() || text_[at_] == '\n') return make(TokenKind::kBad, begin);
  const Token token = make(TokenKind::kString, begin);
  ++at_;
  return token;
}

int Lexer::column(const Token& token) const {
  const auto begin = static_cast<std::size_t>(token.text.data() - text_.data());
  const std::size_t line = begin == 0 ? std::string_view::npos : text_.rfind('\n', begin - 1);
  return static_cast<int>(begin - (line == std::string_view::npos ? 0 : line + 1)) + 1;
}

}  // namespace kp::ptx
