// SPDX-License-Identifier: Apache-2.0
// What a file defines and where its declarations begin, without a grammar: headers of templates and
// macros must be read as well as plain code, quickly and by the thousand.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kp::codesearch {

struct Symbol {
  int line = 0;  // from 1
  std::string name;
  bool operator==(const Symbol&) const = default;
};

struct Outline {
  std::vector<Symbol> symbols;  // in order of their lines
  std::vector<int> starts;      // lines at which something of the file's outermost level begins
};

/// By the end of `path`: Python, Markdown and reStructuredText, else C, C++ and CUDA. Never fails;
/// what it does not understand it leaves out.
Outline outline_of(std::string_view path, std::string_view text);

/// Functions, types, aliases and macros of C, C++ and CUDA.
Outline outline_of_cuda(std::string_view text);

}  // namespace kp::codesearch
