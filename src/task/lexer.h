// SPDX-License-Identifier: Apache-2.0
// Tokens of the plan comment and of the expressions in definition.json. Used by the parsers here.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "task/source_text.h"

namespace kp::task {

struct Token {
  enum class Kind : std::uint8_t {
    kName,
    kInteger,
    kReal,
    kWord,    // digits with letters behind: 128B
    kSymbol,  // an operator or bracket, in `text`
    kNewline,
    kEnd,
  };
  Kind kind = Kind::kEnd;
  std::string_view text;     // in the source; valid as long as the source
  std::int64_t integer = 0;  // kInteger
  double real = 0;           // kReal
  std::size_t offset = 0;    // of the token in the source

  bool is(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
};

/// How a text is written.
enum class Dialect {
  kPlan,    // `//` starts a comment; a newline ends a statement unless a bracket is open
  kPython,  // `//` divides; one expression, newlines are blanks
};

struct LexInput {
  std::string_view source;  // the whole text
  TextSpan span;            // the part to read
  const TextMap& map;
  Dialect dialect = Dialect::kPlan;
};

/// All tokens, ended by kEnd. Errors: a character that no token starts with, a number out of range.
Result<std::vector<Token>> tokenize(const LexInput& input);

}  // namespace kp::task
