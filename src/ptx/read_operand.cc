// SPDX-License-Identifier: Apache-2.0
#include "ptx/number.h"
#include "ptx/readers.h"

namespace kp::ptx {
namespace {

constexpr std::int64_t kWarpSize = 32;

bool read_list(Cursor& cursor, const Scopes& scopes, char close, std::vector<Operand>& operands,
               int depth) {
  if (depth >= kDeepest) return cursor.fail("vectors are nested too deeply");
  Vector vector;
  if (!cursor.accept(close)) {
    do {
      if (!read_operand(cursor, scopes, vector.parts, depth + 1)) return false;
    } while (cursor.accept(','));
    if (!cursor.expect(close)) return false;
  }
  operands.push_back({std::move(vector)});
  return true;
}

bool read_literal(Cursor& cursor, Immediate& literal) {
  bool negative = false;
  while (cursor.peek().is('-') || cursor.peek().is('+')) negative ^= cursor.take().is('-');
  const auto number = cursor.peek().kind == TokenKind::kNumber ? read_number(cursor.peek().text)
                                                               : std::optional<Immediate>{};
  if (!number) return cursor.fail("expected a number");
  cursor.take();
  literal = negative ? negate(*number) : *number;
  return true;
}

bool read_offset(Cursor& cursor, std::int64_t& offset) {
  while (cursor.peek().is('+') || cursor.peek().is('-')) {
    Immediate literal;
    if (!read_literal(cursor, literal)) return false;
    // Through unsigned: offsets wrap, as addresses do.
    offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(offset) + literal.bits);
  }
  return true;
}

bool read_address(Cursor& cursor, const Scopes& scopes, std::vector<Operand>& operands, int depth) {
  Address address;
  if (cursor.peek().kind == TokenKind::kWord) {
    auto base = scopes.resolve(cursor.take().text);
    if (base.is_register) {
      address.base = RegisterName{std::move(base.name), false};
    } else {
      address.base = Symbol{std::move(base.name)};
    }
  } else {
    Immediate base;
    if (!read_literal(cursor, base)) return false;
    address.base = base;
  }
  if (!read_offset(cursor, address.offset)) return false;
  operands.push_back({std::move(address)});
  while (cursor.accept(',')) {
    if (!read_operand(cursor, scopes, operands, depth + 1)) return false;
  }
  return cursor.expect(']');
}

bool read_register_behind_not(Cursor& cursor, const Scopes& scopes,
                              std::vector<Operand>& operands) {
  std::string name;
  if (!cursor.word("a predicate", name)) return false;
  operands.push_back({RegisterName{scopes.resolve(name).name, true}});
  return true;
}

bool read_second_of_pair(Cursor& cursor, const Scopes& scopes, RegisterName first,
                         std::vector<Operand>& operands) {
  std::string name;
  const bool negated = cursor.accept('!');
  if (!cursor.word("a register", name)) return false;
  operands.push_back({Pair{std::move(first), {scopes.resolve(name).name, negated}}});
  return true;
}

bool read_name(Cursor& cursor, const Scopes& scopes, std::vector<Operand>& operands) {
  const std::string_view name = cursor.take().text;
  if (name == "WARP_SZ") {
    operands.push_back({Immediate{kWarpSize, Type::kS64}});
    return true;
  }
  if (name == "_" && !cursor.peek().is('|')) {
    operands.push_back({Sink{}});
    return true;
  }
  auto resolved = scopes.resolve(name);
  if (cursor.accept('|'))
    return read_second_of_pair(cursor, scopes, {std::move(resolved.name), false}, operands);
  if (resolved.is_register) {
    operands.push_back({RegisterName{std::move(resolved.name), false}});
  } else if (cursor.peek().is('+') || cursor.peek().is('-')) {
    Address address{Symbol{std::move(resolved.name)}, 0};
    if (!read_offset(cursor, address.offset)) return false;
    operands.push_back({std::move(address)});
  } else {
    operands.push_back({Symbol{std::move(resolved.name)}});
  }
  return true;
}

}  // namespace

bool read_operand(Cursor& cursor, const Scopes& scopes, std::vector<Operand>& operands, int depth) {
  if (depth > kDeepest) return cursor.fail("operands are nested too deeply");
  if (cursor.peek().kind == TokenKind::kWord) return read_name(cursor, scopes, operands);
  if (cursor.accept('[')) return read_address(cursor, scopes, operands, depth);
  if (cursor.accept('{')) return read_list(cursor, scopes, '}', operands, depth);
  if (cursor.accept('(')) return read_list(cursor, scopes, ')', operands, depth);
  if (cursor.accept('!')) return read_register_behind_not(cursor, scopes, operands);
  Immediate literal;
  if (!read_literal(cursor, literal)) return false;
  operands.push_back({literal});
  return true;
}

}  // namespace kp::ptx
