// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "ptx/readers.h"

namespace kp::ptx {
namespace {

bool read_small(Cursor& cursor, std::optional<std::uint32_t>& value) {
  std::uint64_t number = 0;
  if (!cursor.integer(number)) return false;
  if (number > std::numeric_limits<std::uint32_t>::max()) return cursor.fail("number too large");
  value = static_cast<std::uint32_t>(number);
  return true;
}

bool read_threads(Cursor& cursor, Function& function) {
  for (int axis = 0; axis < 3; ++axis) {
    if (axis > 0 && !cursor.accept(',')) break;
    if (!read_small(cursor, function.max_threads[axis])) return false;
  }
  return true;
}

/// Directives whose operands do not matter here: .maxnreg 32, .pragma "x", .noreturn,
/// .explicitcluster.
bool skip_directive(Cursor& cursor) {
  while (true) {
    const Token& token = cursor.peek();
    if (token.is('(')) {
      if (!cursor.skip_balanced('(', ')')) return false;
    } else if (token.kind == TokenKind::kNumber || token.kind == TokenKind::kString ||
               token.is(',')) {
      cursor.take();
    } else {
      break;
    }
  }
  return true;
}

bool read_directives(Cursor& cursor, Function& function) {
  while (cursor.peek().kind == TokenKind::kDirective) {
    const Token token = cursor.take();
    const bool pragma = token.text == ".pragma";
    if (token.text == ".maxntid" || token.text == ".reqntid") {
      if (!read_threads(cursor, function)) return false;
    } else if (token.text == ".minnctapersm") {
      if (!read_small(cursor, function.min_blocks)) return false;
    } else if (!skip_directive(cursor)) {
      return false;
    }
    if (pragma) cursor.accept(';');
  }
  return true;
}

}  // namespace

bool read_function(Cursor& cursor, Function& function) {
  function.ptx_line = cursor.peek().line;
  if (cursor.accept(".attribute") && !cursor.skip_balanced('(', ')')) return false;
  if (!function.is_entry && cursor.peek().is('(') && !read_parameters(cursor, function.returns))
    return false;
  if (!cursor.word("a function name", function.name)) return false;
  if (cursor.peek().is('(') && !read_parameters(cursor, function.parameters)) return false;
  if (!read_directives(cursor, function)) return false;
  if (cursor.accept(';')) return true;
  return read_body(cursor, function);
}

}  // namespace kp::ptx
