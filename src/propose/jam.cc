// SPDX-License-Identifier: Apache-2.0
#include "propose/jam.h"

#include <fmt/format.h>

#include <algorithm>

#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/loops.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether `node` is evaluated whenever `statement` is.
bool always_evaluated(const SyntaxNode& node, const SyntaxNode& statement) {
  for (SyntaxNode child = node; !(child == statement); child = child.parent()) {
    const SyntaxNode above = child.parent();
    const std::string_view type = above.type(), sign = above.field("operator").text();
    if (type == "conditional_expression" && !(above.field("condition") == child)) return false;
    const bool lazy = type == "binary_expression" && (sign == "&&" || sign == "||");
    if (lazy && above.field("right") == child) return false;
    if (type == "if_statement" && !(above.field("condition") == child)) return false;
  }
  return true;
}

}  // namespace

Jam::Jam(const SourceTree& tree, const SyntaxNode& function, std::string index, std::string step)
    : tree_(tree), function_(function), index_(std::move(index)), step_(std::move(step)) {}

bool Jam::read(const std::vector<SyntaxNode>& statements, bool stores) {
  statements_ = statements;
  const bool all = std::all_of(statements.begin(), statements.end(), [&](const SyntaxNode& s) {
    return read_statement(s, stores, false);
  });
  if (!all || !only_accumulate(statements)) return false;
  // A turn that loads what an earlier one stored would come too early.
  for (const std::string& array : stored_) {
    std::size_t mentions = 0;
    for (const SyntaxNode& s : statements) mentions += mentions_of(tree_, s, array).size();
    if (mentions != static_cast<std::size_t>(std::count(stored_.begin(), stored_.end(), array))) {
      return false;
    }
  }
  return true;
}

bool Jam::read_statement(const SyntaxNode& statement, bool stores, bool conditional) {
  if (statement.type() == "for_statement") return !conditional && read_loop(statement, stores);
  if (!conditional) leaves_.push_back(statement);
  if (statement.type() == "declaration") return !conditional && read_declaration(statement);
  if (read_accumulation(statement)) return true;
  if (statement.type() == "expression_statement") return read_expression(statement, stores);
  if (statement.type() != "if_statement") return false;
  if (!is_pure(tree_, statement.field("condition"))) return false;
  const SyntaxNode otherwise = statement.field("alternative");
  std::vector<SyntaxNode> parts = statements_of(statement.field("consequence"));
  if (otherwise.valid()) {
    for (const SyntaxNode& branch : otherwise.children()) {
      for (const SyntaxNode& part : statements_of(branch)) parts.push_back(part);
    }
  }
  return std::all_of(parts.begin(), parts.end(),
                     [&](const SyntaxNode& part) { return read_statement(part, stores, true); });
}

/// All turns go around together: nothing of a turn decides how often.
bool Jam::read_loop(const SyntaxNode& statement, bool stores) {
  const auto loop = match_counted_loop(tree_, statement);
  if (!loop || loop->type.empty() || has_continue(tree_, *loop)) return false;
  std::vector<std::string> own = locals_;
  own.push_back(index_);
  for (const SyntaxNode& name : tree_.all(statement, "identifier")) {
    if (!lies_in(name, loop->body) && has(own, name.text())) return false;
  }
  return std::all_of(loop->statements.begin(), loop->statements.end(),
                     [&](const SyntaxNode& part) { return read_statement(part, stores, false); });
}

bool Jam::read_declaration(const SyntaxNode& declaration) {
  if (declaration.text().find("static") != std::string_view::npos ||
      declaration.text().find("__shared__") != std::string_view::npos) {
    return false;
  }
  const auto declarators = tree_.all(declaration, "init_declarator");
  if (declarators.empty() || !tree_.all(declaration, "reference_declarator").empty()) return false;
  if (declaration.field("type").text() == "auto") return false;
  for (const SyntaxNode& declarator : declarators) {
    SyntaxNode name = declarator.field("declarator");
    if (name.type() == "pointer_declarator") name = name.field("declarator");
    if (name.type() != "identifier" || !is_pure(tree_, declarator.field("value"))) return false;
    locals_.emplace_back(name.text());
  }
  return true;
}

bool Jam::read_accumulation(const SyntaxNode& statement) {
  const auto found = match_accumulation(statement);
  if (!found || found->target.type() != "identifier") return false;
  const std::string name(found->target.text());
  if (has(locals_, name) || !declared_once(tree_, function_, name)) return false;
  const SyntaxNode declaration = declaration_of(tree_, function_, name);
  // Only a variable of its own: a reference or pointer leads somewhere else.
  const bool plain = tree_.all(declaration, "reference_declarator").empty() &&
                     tree_.all(declaration, "pointer_declarator").empty();
  const std::string type(declaration.field("type").text());
  if (!plain || type == "auto") return false;
  for (const SyntaxNode& part : statement.children()) {
    // The assignment itself is no pure expression, its operands must be.
    for (const SyntaxNode& call : tree_.all(part, "call_expression")) {
      if (!is_pure(tree_, call)) return false;
    }
    const auto assignments = tree_.all(statement, "assignment_expression");
    const auto steps = tree_.all(statement, "update_expression");
    if (assignments.size() + steps.size() != 1) return false;
  }
  const auto known = std::find_if(accumulators_.begin(), accumulators_.end(),
                                  [&](const Accumulator& a) { return a.name == name; });
  if (known == accumulators_.end()) {
    accumulators_.push_back({name, type, found->combine});
    accumulator_mentions_.push_back(found->mentions);
    return true;
  }
  accumulator_mentions_[static_cast<std::size_t>(known - accumulators_.begin())] += found->mentions;
  return known->combine == found->combine;
}

/// Assigns to a variable of the turn or, where allowed, to an element of an array.
bool Jam::read_expression(const SyntaxNode& statement, bool stores) {
  const auto parts = statements_of(statement).front().children();
  if (parts.size() != 1 || parts.front().type() != "assignment_expression") return false;
  const SyntaxNode left = parts.front().field("left"), right = parts.front().field("right");
  if (!is_pure(tree_, right) || !is_pure(tree_, left)) return false;
  if (left.type() == "identifier") return has(locals_, left.text());
  const SyntaxNode array = array_of(left);
  if (!stores || left.type() != "subscript_expression" || array.type() != "identifier" ||
      parts.front().field("operator").text() != "=") {
    return false;
  }
  stored_.emplace_back(array.text());
  return true;
}

/// No statement looks at an accumulator but to combine into it.
bool Jam::only_accumulate(const std::vector<SyntaxNode>& statements) const {
  for (std::size_t k = 0; k < accumulators_.size(); ++k) {
    std::size_t mentions = 0;
    for (const SyntaxNode& s : statements) {
      mentions += mentions_of(tree_, s, accumulators_[k].name).size();
    }
    if (mentions != static_cast<std::size_t>(accumulator_mentions_[k])) return false;
  }
  return true;
}

/// The outermost array elements that a statement other than a declaration certainly loads.
std::vector<SyntaxNode> Jam::hoisted_loads(const SyntaxNode& statement) const {
  std::vector<SyntaxNode> loads;
  if (statement.type() == "declaration") return loads;
  for (const SyntaxNode& load : tree_.all(statement, "subscript_expression")) {
    const SyntaxNode above = load.parent();
    const bool inner = std::any_of(loads.begin(), loads.end(), [&](const SyntaxNode& outer) {
      return load.begin() >= outer.begin() && load.end() <= outer.end();
    });
    const bool stored = above.type() == "assignment_expression" && above.field("left") == load;
    const bool address = above.type() == "pointer_expression" || above.type() == "field_expression";
    if (inner || stored || address || type_of_load(load).empty()) continue;
    if (always_evaluated(load, statement) && !has(stored_, array_of(load).text())) {
      loads.push_back(load);
    }
  }
  return loads;
}

std::size_t Jam::loads() const {
  std::size_t count = 0;
  for (const SyntaxNode& s : statements_) count += tree_.all(s, "subscript_expression").size();
  return count - std::min(count, stored_.size());
}

std::string Jam::turns_of(const std::string& name) const {
  std::string array = name + "_turn";
  while (mentions(tree_, function_, array)) array += "_";
  return array;
}

std::string Jam::turn() const {
  std::string name = "turn";
  while (mentions(tree_, function_, name)) name += "_";
  return name;
}

std::string Jam::name_of_load(const SyntaxNode& load) const {
  // The same array loaded at another place of the code gets the number of that place.
  std::vector<std::string> places;
  const std::string_view array = array_of(load).text();
  for (const SyntaxNode& statement : leaves_) {
    for (const SyntaxNode& other : hoisted_loads(statement)) {
      const std::string text = squeezed(other.text());
      if (array_of(other).text() == array && !has(places, text)) places.push_back(text);
    }
  }
  const auto place =
      std::find(places.begin(), places.end(), squeezed(load.text())) - places.begin();
  std::string name(array);
  if (has(locals_, array)) name += "_value";  // the turns have pointers of their own
  return turns_of(place == 0 ? name : fmt::format("{}{}", name, place + 1));
}

/// The element type of the array; empty when its declaration is not seen or not of that depth.
std::string Jam::type_of_load(const SyntaxNode& load) const {
  const SyntaxNode array = array_of(load);
  if (array.type() != "identifier" || !declared_once(tree_, function_, array.text())) return "";
  const SyntaxNode declaration = declaration_of(tree_, function_, array.text());
  std::size_t subscripts = 0;
  for (SyntaxNode node = load; node.type() == "subscript_expression";
       node = node.field("argument")) {
    ++subscripts;
  }
  const std::size_t depth = tree_.all(declaration, "pointer_declarator").size() +
                            tree_.all(declaration, "array_declarator").size();
  const std::string type(declaration.field("type").text());
  return depth == subscripts && type != "auto" ? type : "";
}

/// The text of `node` for a turn, with the elements in `loads` replaced by their names.
std::string Jam::renamed(const SyntaxNode& node, const std::vector<SyntaxNode>& loads) const {
  Edits edits;
  const auto replace = [&](const SyntaxNode& part, std::string text) {
    edits.replace(part.begin() - node.begin(), part.end() - node.begin(), std::move(text));
  };
  const std::string element = fmt::format("[{}]", turn());
  for (const SyntaxNode& load : loads) replace(load, name_of_load(load) + element);
  auto names = tree_.all(node, "identifier");
  if (node.type() == "identifier") names.push_back(node);
  for (const SyntaxNode& name : names) {
    const bool loaded = std::any_of(loads.begin(), loads.end(), [&](const SyntaxNode& load) {
      return name.begin() >= load.begin() && name.end() <= load.end();
    });
    if (loaded) continue;
    const bool accumulates =
        std::any_of(accumulators_.begin(), accumulators_.end(),
                    [&](const Accumulator& a) { return a.name == name.text(); });
    if (name.text() == index_) {
      const std::string text = index_of_turn();
      const bool whole = name.parent().type() == "subscript_argument_list";
      replace(name, whole ? text : "(" + text + ")");
    } else if (has(locals_, name.text()) || accumulates) {
      replace(name, turns_of(std::string(name.text())) + element);
    }
  }
  return edits.apply(node.text());
}

std::string Jam::index_of_turn() const {
  if (step_ == "1") return fmt::format("{} + {}", index_, turn());
  return fmt::format("{} + {} * {}", index_, turn(), step_);
}

std::string Jam::each_turn(const std::string& statement, const Turns& turns,
                           const std::string& in) const {
  std::string work = reindented(statement, in.size() + 2);
  if (!turns.bound.empty()) {
    work = fmt::format("{0}  if ({1} < {2}) {{\n{3}\n{0}  }}", in, index_of_turn(), turns.bound,
                       reindented(statement, in.size() + 4));
  }
  return fmt::format("#pragma unroll\n{0}for (int {1} = 0; {1} < {2}; ++{1}) {{\n{3}\n{0}}}\n", in,
                     turn(), turns.count, work);
}

std::string Jam::text_of_declaration(const SyntaxNode& declaration, const Turns& turns,
                                     const std::string& in) const {
  std::string text;
  for (const SyntaxNode& declarator : tree_.all(declaration, "init_declarator")) {
    const SyntaxNode target = declarator.field("declarator");
    const bool pointer = target.type() == "pointer_declarator";
    const std::string name =
        turns_of(std::string(pointer ? target.field("declarator").text() : target.text()));
    // A pointer keeps its const, which is about what it points to.
    const bool constant = pointer && declaration.text().starts_with("const ");
    text += fmt::format("{}{}{}{} {}[{}];\n", in, constant ? "const " : "",
                        declaration.field("type").text(), pointer ? "*" : "", name, turns.count);
    text +=
        each_turn(fmt::format("{}[{}] = {};", name, turn(), renamed(declarator.field("value"), {})),
                  turns, in);
  }
  return text;
}

std::string Jam::text_of_loop(const SyntaxNode& statement, const Turns& turns,
                              std::size_t spaces) const {
  const auto loop = match_counted_loop(tree_, statement);
  const std::size_t head = loop->body.begin() - statement.begin();
  const std::string in(spaces, ' ');
  return fmt::format("{0}{1}{{\n{2}{0}}}\n", in, statement.text().substr(0, head),
                     text_of(loop->statements, turns, spaces + 2));
}

/// Whether a name for a load is in `loaded` already; adds those of the statement.
bool Jam::loads_again(const SyntaxNode& statement, std::vector<std::string>& loaded) const {
  const std::size_t before = loaded.size();
  bool again = false;
  for (const SyntaxNode& load : hoisted_loads(statement)) {
    const std::string name = name_of_load(load);
    const auto end = loaded.begin() + static_cast<std::ptrdiff_t>(before);
    again = again || std::find(loaded.begin(), end, name) != end;
    loaded.push_back(name);
  }
  return again;
}

std::string Jam::text_of_work(const SyntaxNode& statement, const Turns& turns,
                              const std::string& in) const {
  std::string text;
  const auto loads = hoisted_loads(statement);
  std::vector<std::string> named;
  for (const SyntaxNode& load : loads) {
    if (has(named, squeezed(load.text()))) continue;
    named.push_back(squeezed(load.text()));
    const std::string name = name_of_load(load);
    text += fmt::format("{}{} {}[{}];\n", in, type_of_load(load), name, turns.count);
    text += each_turn(fmt::format("{}[{}] = {};", name, turn(), renamed(load, {})), turns, in);
  }
  return text + each_turn(renamed(statement, loads), turns, in);
}

std::string Jam::text_of(const std::vector<SyntaxNode>& statements, const Turns& turns,
                         std::size_t spaces) const {
  std::string text;
  const std::string in(spaces, ' ');
  std::vector<std::string> loaded;
  for (const SyntaxNode& statement : statements) {
    if (statement.type() == "declaration") {
      text += text_of_declaration(statement, turns, in);
    } else if (statement.type() == "for_statement") {
      text += text_of_loop(statement, turns, spaces);
    } else if (loads_again(statement, loaded)) {
      text += fmt::format("{0}{{\n{1}{0}}}\n", in, text_of_work(statement, turns, in + "  "));
    } else {
      text += text_of_work(statement, turns, in);
    }
  }
  return text;
}

std::string Jam::text(const Turns& turns, std::size_t spaces) const {
  return text_of(statements_, turns, spaces);
}

}  // namespace kp::propose
