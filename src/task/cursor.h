// SPDX-License-Identifier: Apache-2.0
// A position in a token list, and the errors that are reported there. Used by the parsers here.
#pragma once
#include <string>
#include <vector>

#include "task/lexer.h"

namespace kp::task {

class Cursor {
 public:
  Cursor(std::vector<Token> tokens, const TextMap& map) : tokens_(std::move(tokens)), map_(map) {}

  const Token& peek(std::size_t ahead = 0) const;
  const Token& take();
  /// Takes the next token when it is this symbol, or this name.
  bool accept(std::string_view text);
  /// `after` completes the message: "expected `:` after the name, found ...".
  Result<void> expect(std::string_view symbol, std::string_view after);
  Result<Token> expect_name(std::string_view what);

  SourceSpot spot() const { return spot(peek()); }
  SourceSpot spot(const Token& token) const { return map_.spot(token.offset); }
  /// "expected WHAT, found TOKEN" at the next token.
  tl::unexpected<Error> expected(std::string_view what, std::string hint = {}) const;
  /// The tokens [begin, position) as one line of text, blanks and comments reduced to one blank.
  std::string text_since(std::size_t begin) const;
  std::size_t position() const { return at_; }

 private:
  std::vector<Token> tokens_;
  const TextMap& map_;
  std::size_t at_ = 0;
};

}  // namespace kp::task
