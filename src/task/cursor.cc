// SPDX-License-Identifier: Apache-2.0
#include "task/cursor.h"

#include <fmt/format.h>

#include <algorithm>

namespace kp::task {
namespace {

std::string describe(const Token& token) {
  switch (token.kind) {
    case Token::Kind::kEnd:
      return "the end of the text";
    case Token::Kind::kNewline:
      return "the end of the line";
    default:
      return fmt::format("`{}`", token.text);
  }
}

}  // namespace

const Token& Cursor::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

const Token& Cursor::take() {
  const Token& token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool Cursor::accept(std::string_view text) {
  const Token& next = peek();
  const bool same =
      (next.kind == Token::Kind::kSymbol || next.kind == Token::Kind::kName) && next.text == text;
  if (same) take();
  return same;
}

Result<void> Cursor::expect(std::string_view symbol, std::string_view after) {
  if (accept(symbol)) return {};
  return expected(fmt::format("`{}` after {}", symbol, after));
}

Result<Token> Cursor::expect_name(std::string_view what) {
  if (peek().kind != Token::Kind::kName) return expected(what);
  return take();
}

tl::unexpected<Error> Cursor::expected(std::string_view what, std::string hint) const {
  return fail_at(spot(), fmt::format("expected {}, found {}", what, describe(peek())),
                 hint.empty() ? "docs/candidate.md has the grammar" : std::move(hint));
}

std::string Cursor::text_since(std::size_t begin) const {
  std::string text;
  std::size_t end = tokens_[begin].offset;
  for (std::size_t i = begin; i < at_; ++i) {
    if (tokens_[i].offset > end) text += ' ';
    text += tokens_[i].text;
    end = tokens_[i].offset + tokens_[i].text.size();
  }
  return text;
}

}  // namespace kp::task
