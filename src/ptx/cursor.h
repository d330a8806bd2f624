// SPDX-License-Identifier: Apache-2.0
// A place in the token stream with one token of look-ahead, and the first error met. The readers of
// the parser share one; each returns false after an error, which stops them all.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "ptx/lexer.h"

namespace kp::ptx {

inline constexpr int kDeepest = 64;  // nesting of scopes, vectors and initialisers

class Cursor {
 public:
  Cursor(std::string_view text, const std::string& name) : lexer_(text), name_(name) {
    token_ = lexer_.next();
  }
  const Token& peek() const { return token_; }
  Token take() {
    const Token taken = token_;
    token_ = lexer_.next();
    return taken;
  }
  /// Takes the token when it is this punctuation.
  bool accept(char c) {
    if (!token_.is(c)) return false;
    token_ = lexer_.next();
    return true;
  }
  bool accept(std::string_view directive) {
    if (!token_.directive(directive)) return false;
    token_ = lexer_.next();
    return true;
  }
  bool expect(char c) { return accept(c) || fail(std::string("expected '") + c + "'"); }
  /// The text of a kWord, or an error that says what was expected.
  bool word(std::string_view what, std::string& text);
  /// An unsigned integer.
  bool integer(std::uint64_t& value);
  /// Skips over a balanced `open ... close`; the cursor stands at `open`.
  bool skip_balanced(char open, char close);
  /// Records the error at the token ahead, once; returns false.
  bool fail(std::string message);
  Error error() const { return *error_; }

 private:
  Lexer lexer_;
  const std::string& name_;
  Token token_;
  std::optional<Error> error_;
};

}  // namespace kp::ptx
