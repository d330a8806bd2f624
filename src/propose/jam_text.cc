// SPDX-License-Identifier: Apache-2.0
// What a jam writes; how it reads its statements stands in jam.cc.
#include <fmt/format.h>

#include <algorithm>

#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/jam.h"
#include "propose/loops.h"

namespace kp::propose {
namespace {

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
