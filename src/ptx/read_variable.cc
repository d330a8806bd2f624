// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "ptx/number.h"
#include "ptx/readers.h"

namespace kp::ptx {
namespace {

constexpr std::uint64_t kMostElements = 1ull << 48;

bool read_attributes(Cursor& cursor, Variable& variable) {
  bool of_pointee = false;  // what follows .ptr describes where the parameter points
  while (cursor.peek().kind == TokenKind::kDirective) {
    const Token token = cursor.take();
    if (const auto type = type_from(token.text.substr(1))) {
      variable.type = *type;
    } else if (token.text == ".align") {
      std::uint64_t align = 0;
      if (!cursor.integer(align)) return false;
      if (align == 0 || (align & (align - 1)) != 0 || align > 4096)
        return cursor.fail("alignment must be a power of two up to 4096");
      if (!of_pointee) variable.align = align;
    } else if (token.text == ".v2" || token.text == ".v4") {
      variable.vector = token.text[2] - '0';
    } else if (token.text == ".ptr") {
      of_pointee = true;
    } else if (token.text == ".attribute") {
      if (!cursor.skip_balanced('(', ')')) return false;
    } else if (!of_pointee || !space_from(token)) {
      return cursor.fail("unknown attribute " + std::string(token.text) + " of a variable");
    }
  }
  return true;
}

bool read_dimension(Cursor& cursor, Variable& variable) {
  std::uint64_t length = 0;
  if (!cursor.accept(']')) {
    if (!cursor.integer(length) || !cursor.expect(']')) return false;
  }
  if (length > kMostElements || (length != 0 && variable.elements > kMostElements / length))
    return cursor.fail("the array is too large");
  variable.elements *= length;
  return true;
}

bool read_name_and_shape(Cursor& cursor, Variable& variable) {
  if (!cursor.word("a variable name", variable.name)) return false;
  if (cursor.accept('<')) {
    std::uint64_t count = 0;
    if (!cursor.integer(count) || !cursor.expect('>')) return false;
    if (count == 0 || count > std::numeric_limits<int>::max())
      return cursor.fail("bad number of registers");
    variable.count = static_cast<int>(count);
  }
  while (cursor.accept('[')) {
    if (!read_dimension(cursor, variable)) return false;
  }
  return true;
}

}  // namespace

std::optional<Space> space_from(const Token& token) {
  if (token.kind != TokenKind::kDirective) return std::nullopt;
  if (token.text == ".reg") return Space::kRegister;
  if (token.text == ".param") return Space::kParam;
  if (token.text == ".global") return Space::kGlobal;
  if (token.text == ".shared") return Space::kShared;
  if (token.text == ".local") return Space::kLocal;
  if (token.text == ".const") return Space::kConst;
  return std::nullopt;
}

bool read_variables(Cursor& cursor, Space space, bool is_extern, std::vector<Variable>& variables) {
  Variable pattern;
  pattern.space = space;
  pattern.is_extern = is_extern;
  if (!read_attributes(cursor, pattern)) return false;
  do {
    Variable variable = pattern;
    if (!read_name_and_shape(cursor, variable)) return false;
    if (cursor.accept('=') && !read_initial(cursor, variable)) return false;
    variables.push_back(std::move(variable));
  } while (cursor.accept(','));
  return cursor.expect(';');
}

bool read_parameters(Cursor& cursor, std::vector<Variable>& parameters) {
  if (!cursor.expect('(')) return false;
  if (cursor.accept(')')) return true;
  do {
    Variable variable;
    const auto space = space_from(cursor.peek());
    if (!space) return cursor.fail("expected .param or .reg");
    cursor.take();
    variable.space = *space;
    if (!read_attributes(cursor, variable) || !read_name_and_shape(cursor, variable)) return false;
    parameters.push_back(std::move(variable));
  } while (cursor.accept(','));
  return cursor.expect(')');
}

}  // namespace kp::ptx
