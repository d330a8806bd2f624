// SPDX-License-Identifier: Apache-2.0
// CUDA source as tokens, with its simple macros and type aliases. Used to read kernel signatures,
// which must work where a grammar gives up: attributes behind macros, unfinished code elsewhere in
// the file.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kp::build {

struct Token {
  std::string_view text;   // into the source
  std::size_t offset = 0;  // byte in the source
};
using Tokens = std::vector<Token>;

struct TokenStream {
  Tokens tokens;  // without comments and directives; a string or character literal is one token
  std::map<std::string_view, Tokens> macros;   // object-like #define, by name
  std::map<std::string_view, Tokens> aliases;  // `typedef T name;` and `using name = T;`
};

/// Never fails: what is no token is skipped. The source must outlive the result.
TokenStream tokenize(std::string_view source);

/// Line and column of a byte.
SourceSpot spot_of(std::string_view source, std::size_t offset, const std::string& file);

bool is_identifier(std::string_view token);

}  // namespace kp::build
