// SPDX-License-Identifier: Apache-2.0
// Splits PTX text into tokens; used by the parser alone. Tokens are views of the text.
#pragma once
#include <cstdint>
#include <string_view>

namespace kp::ptx {

enum class TokenKind : std::uint8_t {
  kWord,       // %r1, ld.global.L1::no_allocate.f32, $L__BB0_1: a name with dots
  kDirective,  // .reg
  kNumber,     // 12, 0x1F, 0f3F800000, 1.5e3: unread text
  kString,     // without the quotes
  kPunctuation,
  kEnd,
  kBad,  // a character or an unclosed comment or string that PTX does not have
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  int line = 1;
  bool is(char c) const { return kind == TokenKind::kPunctuation && text[0] == c; }
  bool directive(std::string_view name) const {
    return kind == TokenKind::kDirective && text == name;
  }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  /// The next token; kEnd for ever after the last.
  Token next();
  /// Column of a token, from 1.
  int column(const Token& token) const;

 private:
  bool skip_blank();  // false: an unclosed comment
  Token make(TokenKind kind, std::size_t begin) const;
  Token word();
  Token number();
  Token string();

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace kp::ptx
