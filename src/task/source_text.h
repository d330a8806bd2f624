// SPDX-License-Identifier: Apache-2.0
// CUDA source as text: where its comments are, which headers it includes. Used to find the plan and
// to check `level`; no preprocessor and no parser.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kp::task {

/// Maps byte offsets of one text to lines and columns.
class TextMap {
 public:
  TextMap(std::string_view text, std::string file);
  SourceSpot spot(std::size_t offset) const;

 private:
  std::vector<std::size_t> line_starts_;
  std::string file_;
};

/// Half-open byte range.
struct TextSpan {
  std::size_t begin = 0, end = 0;
};

/// What a text is made of, outside of code: comments and raw strings, in order. An unterminated
/// block comment ends at the end of the text and has `closed == false`.
struct Inert {
  TextSpan span;
  enum class Kind { kLineComment, kBlockComment, kRawString } kind = Kind::kLineComment;
  bool closed = true;
};
std::vector<Inert> inert_spans(std::string_view source);

struct Include {
  std::string header;  // without quotes or angle brackets; empty when it is not written literally
  std::size_t offset = 0;
};
/// Every `#include` that is not inside a comment, also with spliced lines and digraphs.
std::vector<Include> find_includes(std::string_view source);

}  // namespace kp::task
