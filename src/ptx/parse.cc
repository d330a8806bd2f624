// SPDX-License-Identifier: Apache-2.0
#include "ptx/parse.h"

#include <fmt/format.h>

#include "ptx/readers.h"

namespace kp::ptx {
namespace {

constexpr std::size_t kMostBytes = 64u << 20;
constexpr std::uint64_t kMostFiles = 1u << 16;

bool read_file_entry(Cursor& cursor, Module& module) {
  std::uint64_t number = 0;
  if (!cursor.integer(number)) return false;
  if (number >= kMostFiles) return cursor.fail("the number of .file is too large");
  if (cursor.peek().kind != TokenKind::kString) return cursor.fail("expected a file name");
  if (module.files.size() <= number) module.files.resize(number + 1);
  module.files[number] = cursor.take().text;
  std::uint64_t ignored = 0;  // time stamp, size
  while (cursor.accept(',')) {
    if (!cursor.integer(ignored)) return false;
  }
  return true;
}

bool read_section(Cursor& cursor) {
  // The name may be a word or start with a dot: .section .debug_str
  cursor.take();
  if (!cursor.peek().is('{')) return cursor.fail("expected '{'");
  return cursor.skip_balanced('{', '}');
}

bool read_text_until_next(Cursor& cursor, std::string& text) {
  while (cursor.peek().kind == TokenKind::kWord || cursor.peek().kind == TokenKind::kNumber ||
         cursor.peek().is(','))
    text += cursor.take().text;
  return true;
}

bool skip_statement(Cursor& cursor) {
  while (!cursor.accept(';')) {
    if (cursor.peek().kind == TokenKind::kEnd) return cursor.fail("expected ';'");
    cursor.take();
  }
  return true;
}

bool is_linkage(const Token& token) {
  return token.text == ".visible" || token.text == ".weak" || token.text == ".common";
}

bool read_definition(Cursor& cursor, Module& module) {
  bool is_extern = false;
  while (is_linkage(cursor.peek()) || cursor.peek().directive(".extern"))
    is_extern |= cursor.take().text == ".extern";
  if (const auto space = space_from(cursor.peek())) {
    cursor.take();
    return read_variables(cursor, *space, is_extern, module.globals);
  }
  const bool is_entry = cursor.peek().directive(".entry");
  if (!is_entry && !cursor.peek().directive(".func")) return cursor.fail("expected a definition");
  cursor.take();
  Function function;
  function.is_entry = is_entry;
  if (!read_function(cursor, function)) return false;
  module.functions.push_back(std::move(function));
  return true;
}

bool read_directive(Cursor& cursor, Module& module) {
  if (cursor.accept(".version")) return read_text_until_next(cursor, module.version);
  if (cursor.accept(".target")) return read_text_until_next(cursor, module.target);
  if (cursor.accept(".address_size")) {
    std::uint64_t bits = 0;
    if (!cursor.integer(bits)) return false;
    return bits == 64 || cursor.fail("only 64-bit addresses are known");
  }
  if (cursor.accept(".file")) return read_file_entry(cursor, module);
  if (cursor.accept(".section")) return read_section(cursor);
  if (cursor.accept(".pragma") || cursor.accept(".alias")) return skip_statement(cursor);
  return read_definition(cursor, module);
}

bool read_module(Cursor& cursor, Module& module) {
  if (!cursor.peek().directive(".version")) return cursor.fail("PTX starts with .version");
  while (cursor.peek().kind != TokenKind::kEnd) {
    if (cursor.peek().kind != TokenKind::kDirective) return cursor.fail("expected a directive");
    if (!read_directive(cursor, module)) return false;
  }
  return true;
}

}  // namespace

Result<Module> parse(std::string_view text, const std::string& name) {
  if (text.size() > kMostBytes) {
    return fail(
        ErrorCode::kLimit,
        fmt::format("{} has {} bytes of PTX; the most is {}", name, text.size(), kMostBytes),
        "split the kernel's source");
  }
  Cursor cursor(text, name);
  Module module;
  if (!read_module(cursor, module)) return tl::unexpected<Error>(cursor.error());
  return module;
}

}  // namespace kp::ptx
