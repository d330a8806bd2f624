// SPDX-License-Identifier: Apache-2.0
#include "ptx/number.h"
#include "ptx/readers.h"

namespace kp::ptx {
namespace {

void append(Variable& variable, const Immediate& value) {
  const unsigned bytes = bytes_of(variable.type);
  // A 16-byte element has no literal wider than 8 bytes; the rest is zero.
  const std::uint64_t bits = bits_in(value, std::min(bytes, 8u));
  for (unsigned i = 0; i < bytes; ++i)
    variable.initial.push_back(i < 8 ? static_cast<std::byte>(bits >> (8 * i)) : std::byte{0});
}

bool read_addend(Cursor& cursor, Immediate& addend) {
  const bool negative = cursor.peek().is('-');
  if (!cursor.accept('+') && !cursor.accept('-')) return true;
  std::uint64_t value = 0;
  if (!cursor.integer(value)) return false;
  addend.bits = negative ? 0 - value : value;
  return true;
}

bool read_symbol(Cursor& cursor, Variable& variable) {
  std::string name;
  if (!cursor.word("a symbol", name)) return false;
  const bool generic = name == "generic" && cursor.accept('(');
  if (generic && (!cursor.word("a symbol", name) || !cursor.expect(')'))) return false;
  if (bytes_of(variable.type) != 8) return cursor.fail("an address needs a 64-bit element");
  Immediate addend;
  if (!read_addend(cursor, addend)) return false;
  variable.relocations.emplace_back(variable.initial.size(), std::move(name));
  append(variable, addend);
  return true;
}

bool read_number_element(Cursor& cursor, Variable& variable) {
  bool negative = false;
  while (cursor.peek().is('-')) negative ^= cursor.take().is('-');
  const auto value = cursor.peek().kind == TokenKind::kNumber ? read_number(cursor.peek().text)
                                                              : std::optional<Immediate>{};
  if (!value) return cursor.fail("expected an initial value");
  cursor.take();
  append(variable, negative ? negate(*value) : *value);
  return true;
}

bool read_element(Cursor& cursor, Variable& variable, int depth) {
  if (depth > kDeepest) return cursor.fail("initial values are nested too deeply");
  if (!cursor.accept('{')) {
    return cursor.peek().kind == TokenKind::kWord ? read_symbol(cursor, variable)
                                                  : read_number_element(cursor, variable);
  }
  if (cursor.accept('}')) return true;
  do {
    if (!read_element(cursor, variable, depth + 1)) return false;
  } while (cursor.accept(','));
  return cursor.expect('}');
}

}  // namespace

bool read_initial(Cursor& cursor, Variable& variable) {
  if (bytes_of(variable.type) == 0) return cursor.fail("a predicate has no initial value");
  if (!read_element(cursor, variable, 0)) return false;
  const auto elements = variable.initial.size() / bytes_of(variable.type);
  const auto vector = static_cast<std::uint64_t>(variable.vector);
  if (variable.elements == 0) variable.elements = (elements + vector - 1) / vector;
  if (elements > variable.elements * vector)
    return cursor.fail("more initial values than elements");
  return true;
}

}  // namespace kp::ptx
