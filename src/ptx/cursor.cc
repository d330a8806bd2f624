// SPDX-License-Identifier: Apache-2.0
#include "ptx/cursor.h"

#include <fmt/format.h>

#include "ptx/number.h"

namespace kp::ptx {

bool Cursor::word(std::string_view what, std::string& text) {
  if (token_.kind != TokenKind::kWord) return fail(fmt::format("expected {}", what));
  text.assign(token_.text);
  take();
  return true;
}

bool Cursor::integer(std::uint64_t& value) {
  const auto number =
      token_.kind == TokenKind::kNumber ? read_number(token_.text) : std::optional<Immediate>{};
  if (!number || number->type == Type::kF32 || number->type == Type::kF64)
    return fail("expected an integer");
  value = number->bits;
  take();
  return true;
}

bool Cursor::skip_balanced(char open, char close) {
  int depth = 0;
  do {
    if (token_.kind == TokenKind::kEnd) return fail(fmt::format("'{}' is never closed", open));
    if (token_.is(open)) ++depth;
    if (token_.is(close)) --depth;
    take();
  } while (depth > 0);
  return true;
}

bool Cursor::fail(std::string message) {
  if (error_) return false;
  const std::string_view found = token_.kind == TokenKind::kEnd ? "the end" : token_.text;
  error_ = Error{
      ErrorCode::kInvalidInput,
      fmt::format("{}, found '{}'", message, found.substr(0, 40)),
      "this is not PTX that the parser knows; recompile the kernel with NVRTC or nvcc 12.4 to 13",
      {name_, token_.line, lexer_.column(token_)},
      {}};
  return false;
}

}  // namespace kp::ptx
