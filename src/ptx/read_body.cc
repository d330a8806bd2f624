// SPDX-License-Identifier: Apache-2.0
#include "ptx/readers.h"

namespace kp::ptx {
namespace {

void split_opcode(std::string_view written, Instruction& instruction) {
  const std::size_t dot = std::min(written.find('.'), written.size());
  instruction.opcode.assign(written.substr(0, dot));
  written.remove_prefix(dot);
  while (!written.empty()) {
    written.remove_prefix(1);
    const std::size_t end = std::min(written.find('.'), written.size());
    instruction.modifiers.emplace_back(written.substr(0, end));
    written.remove_prefix(end);
  }
}

/// The statements of one function; scopes are flattened as they are read.
class BodyReader {
 public:
  BodyReader(Cursor& cursor, Function& function) : cursor_(cursor), function_(function) {}
  bool read();

 private:
  bool enter();
  bool statement();
  bool directive();
  bool variables(Space space);
  bool guarded();
  bool instruction(const Token& written, std::optional<RegisterName> guard);
  bool label_or_instruction();
  bool labelled(const Token& name);
  bool branch_table(std::string name);

  Cursor& cursor_;
  Function& function_;
  Scopes scopes_;
  LocationReader location_;
};

bool BodyReader::read() {
  for (auto* list : {&function_.returns, &function_.parameters}) {
    if (scopes_.depth() == 0) scopes_.enter(0);
    for (auto& variable : *list) scopes_.declare(variable);
  }
  // The body shares the scope of the parameters.
  if (!cursor_.expect('{')) return false;
  while (scopes_.depth() > 0) {
    if (!statement()) return false;
  }
  return true;
}

bool BodyReader::enter() {
  if (scopes_.depth() > static_cast<std::size_t>(kDeepest))
    return cursor_.fail("scopes are nested too deeply");
  scopes_.enter(function_.body.size());
  return true;
}

bool BodyReader::statement() {
  if (cursor_.accept(';')) return true;
  if (cursor_.accept('{')) return enter();
  if (cursor_.accept('}')) {
    scopes_.leave(function_);
    return true;
  }
  switch (cursor_.peek().kind) {
    case TokenKind::kDirective:
      return directive();
    case TokenKind::kWord:
      return label_or_instruction();
    default:
      return cursor_.peek().is('@') ? guarded() : cursor_.fail("expected a statement");
  }
}

bool BodyReader::directive() {
  const Token token = cursor_.take();
  if (const auto space = space_from(token)) return variables(*space);
  if (token.text == ".loc") return location_.read(cursor_);
  if (token.text == ".pragma") {
    while (cursor_.peek().kind == TokenKind::kString || cursor_.peek().is(',')) cursor_.take();
    return cursor_.expect(';');
  }
  return cursor_.fail("unknown directive " + std::string(token.text) + " in a function");
}

bool BodyReader::variables(Space space) {
  const std::size_t first = function_.locals.size();
  if (!read_variables(cursor_, space, false, function_.locals)) return false;
  for (std::size_t i = first; i < function_.locals.size(); ++i)
    scopes_.declare(function_.locals[i]);
  return true;
}

bool BodyReader::label_or_instruction() {
  const Token name = cursor_.take();
  return cursor_.accept(':') ? labelled(name) : instruction(name, std::nullopt);
}

bool BodyReader::labelled(const Token& name) {
  if (cursor_.peek().directive(".branchtargets") || cursor_.peek().directive(".calltargets")) {
    cursor_.take();
    return branch_table(scopes_.declare_label(name.text));
  }
  if (cursor_.accept(".callprototype")) {
    while (!cursor_.peek().is(';')) {
      if (cursor_.peek().kind == TokenKind::kEnd) return cursor_.fail("expected ';'");
      cursor_.take();
    }
    return cursor_.expect(';');
  }
  function_.body.emplace_back(Label{scopes_.declare_label(name.text), name.line});
  return true;
}

bool BodyReader::branch_table(std::string name) {
  BranchTable table{std::move(name), {}};
  do {
    std::string label;
    if (!cursor_.word("a label", label)) return false;
    table.labels.push_back(std::move(label));
  } while (cursor_.accept(','));
  function_.tables.push_back(std::move(table));
  return cursor_.expect(';');
}

bool BodyReader::guarded() {
  std::string name;
  RegisterName predicate;
  cursor_.take();
  predicate.negated = cursor_.accept('!');
  if (!cursor_.word("a predicate", name)) return false;
  predicate.name = scopes_.resolve(name).name;
  if (cursor_.peek().kind != TokenKind::kWord) return cursor_.fail("expected an instruction");
  return instruction(cursor_.take(), std::move(predicate));
}

bool BodyReader::instruction(const Token& written, std::optional<RegisterName> guard) {
  Instruction instruction;
  split_opcode(written.text, instruction);
  instruction.guard = std::move(guard);
  instruction.location = location_.current();
  instruction.ptx_line = written.line;
  instruction.operands.reserve(4);
  if (!cursor_.peek().is(';')) {
    do {
      if (!read_operand(cursor_, scopes_, instruction.operands)) return false;
    } while (cursor_.accept(','));
  }
  function_.body.emplace_back(std::move(instruction));
  return cursor_.expect(';');
}

}  // namespace

bool read_body(Cursor& cursor, Function& function) { return BodyReader(cursor, function).read(); }

}  // namespace kp::ptx
