// SPDX-License-Identifier: Apache-2.0
#include "draft/host_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "build/tokens.h"
#include "build/type_names.h"

namespace kp::draft {
namespace {

constexpr int kDeepest = 32;  // definitions that refer to each other
constexpr std::array<std::string_view, 4> kAllocations{"cudaMalloc", "cudaMallocManaged",
                                                       "cudaMallocAsync", "cudaMallocHost"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The innermost identifier of a declarator, and whether something stands around it but an
/// initialiser.
SyntaxNode declared_name(SyntaxNode declarator) {
  while (declarator.valid() && declarator.type() != "identifier") {
    const auto inside = declarator.children();
    const SyntaxNode field = declarator.field("declarator");
    if (!field.valid() && inside.empty()) return {};
    declarator = field.valid() ? field : inside.back();
  }
  return declarator;
}

std::optional<std::int64_t> integer_literal(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '\'') digits += c;
  }
  while (!digits.empty() && std::string_view("uUlLzZ").find(digits.back()) != std::string::npos)
    digits.pop_back();
  try {
    std::size_t used = 0;
    const std::int64_t value = std::stoll(digits, &used, 0);
    if (used == digits.size()) return value;
  } catch (const std::exception&) {
  }
  return {};
}

/// "ceil_div", "cdiv", "div_up", "CEIL_DIV", "divUp", "ceilDiv", "DivCeil"...
bool rounds_up(std::string_view function) {
  std::string name;
  for (const char c : function) {
    if (c != '_') name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  constexpr std::array<std::string_view, 6> kNames{"ceildiv", "cdiv",     "divup",
                                                   "divceil", "iceildiv", "idivup"};
  return is_one_of(name, kNames);
}

std::string last_part(std::string_view name) {
  const std::size_t colon = name.rfind("::");
  return std::string(colon == std::string_view::npos ? name : name.substr(colon + 2));
}

}  // namespace

std::string to_text(const Dims& dims) {
  if (dims.z.constant() != 1)
    return fmt::format("({}, {}, {})", dims.x.text(), dims.y.text(), dims.z.text());
  if (dims.y.constant() != 1) return fmt::format("({}, {})", dims.x.text(), dims.y.text());
  return dims.x.text();
}

HostProgram::HostProgram(const SourceTree& tree) : tree_(tree) {
  read_definitions();
  read_calls();
}

void HostProgram::read_definitions() {
  for (const SyntaxNode& define : tree_.all(tree_.root(), "preproc_def")) {
    macros_.insert_or_assign(std::string(define.field("name").text()),
                             std::string(trim(define.field("value").text())));
  }
  for (const SyntaxNode& declarator : tree_.all(tree_.root(), "init_declarator")) {
    const SyntaxNode name = declared_name(declarator.field("declarator"));
    const SyntaxNode value = declarator.field("value");
    if (name.valid() && value.valid()) definitions_.try_emplace(std::string(name.text()), value);
  }
  for (const SyntaxNode& assignment : tree_.all(tree_.root(), "assignment_expression")) {
    assigned_.insert(std::string(assignment.field("left").text()));
  }
}

void HostProgram::read_calls() {
  for (const SyntaxNode& call : tree_.all(tree_.root(), "call_expression")) {
    const auto parts = call.children();
    const auto configuration = std::find_if(parts.begin(), parts.end(), [](const auto& part) {
      return part.type() == "kernel_call_syntax";
    });
    configuration != parts.end() ? read_launch(call, *configuration) : read_memory_call(call);
  }
}

void HostProgram::read_launch(const SyntaxNode& call, const SyntaxNode& configuration) {
  HostLaunch launch;
  launch.line = call.line();
  SyntaxNode callee = call.field("function");
  if (callee.type() == "qualified_identifier") callee = callee.field("name");
  if (callee.type() == "template_function") {
    for (const SyntaxNode& type : callee.field("arguments").children())
      launch.types.emplace_back(type.text());
    callee = callee.field("name");
  }
  launch.kernel = last_part(callee.text());
  const auto parts = configuration.children();
  if (parts.size() >= 2) {
    launch.grid = dims_of(parts[0]);
    launch.block = dims_of(parts[1]);
  }
  if (parts.size() >= 3) launch.shared = size_of(parts[2]).value_or(0);
  launch.arguments = call.field("arguments").children();
  launches_.push_back(std::move(launch));
}

void HostProgram::read_memory_call(const SyntaxNode& call) {
  const std::string callee = last_part(call.field("function").text());
  const auto arguments = call.field("arguments").children();
  if (arguments.size() < 2) return;
  if (is_one_of(callee, kAllocations)) {
    if (const auto bytes = size_of(arguments[1]))
      bytes_.try_emplace(pointer_name(arguments[0]), *bytes);
  } else if (callee == "cudaMemset" || callee == "cudaMemsetAsync") {
    cleared_.insert(pointer_name(arguments[0]));
  } else if ((callee == "cudaMemcpy" || callee == "cudaMemcpyAsync") && arguments.size() >= 4) {
    const std::string_view kind = arguments[3].text();
    if (kind.ends_with("HostToDevice")) filled_.insert(pointer_name(arguments[0]));
    if (kind.ends_with("DeviceToHost")) copied_back_.insert(pointer_name(arguments[1]));
  }
}

std::optional<Dims> HostProgram::dims_of_list(const SyntaxNode& list) const {
  Dims dims;
  const auto extents = list.children();
  Polynomial* const axes[]{&dims.x, &dims.y, &dims.z};
  for (std::size_t i = 0; i < extents.size() && i < 3; ++i) {
    const auto extent = size_of(extents[i]);
    if (!extent) return {};
    *axes[i] = *extent;
  }
  return dims;
}

std::optional<Dims> HostProgram::dims_of(const SyntaxNode& expression) const {
  SyntaxNode shape = expression;
  const auto definition = definitions_.find(expression.text());
  if (expression.type() == "identifier" && definition != definitions_.end())
    shape = definition->second;
  if (shape.type() == "argument_list" || shape.type() == "initializer_list")
    return dims_of_list(shape);
  if (shape.type() == "call_expression" && shape.field("function").text() == "dim3")
    return dims_of_list(shape.field("arguments"));
  if (shape.type() == "compound_literal_expression") return dims_of_list(shape.field("value"));
  const auto extent = size_of(expression);
  if (!extent) return {};
  return Dims{*extent, 1, 1};
}

std::optional<Polynomial> HostProgram::size_of(const SyntaxNode& expression) const {
  return value(expression, 0);
}

std::optional<std::int64_t> HostProgram::value_of(const std::string& name) const {
  if (assigned_.count(name) > 0) return {};
  if (const auto macro = macros_.find(name); macro != macros_.end()) {
    const SourceTree text("int value = " + macro->second + ";");
    const auto declared = text.all(text.root(), "init_declarator");
    if (declared.empty()) return {};
    const auto number = HostProgram(text).size_of(declared.front().field("value"));
    return number ? number->constant() : std::nullopt;
  }
  const auto definition = definitions_.find(name);
  if (definition == definitions_.end()) return {};
  const auto number = value(definition->second, 1);
  return number ? number->constant() : std::nullopt;
}

std::optional<Polynomial> HostProgram::bytes_of(const std::string& name) const {
  const auto found = bytes_.find(name);
  if (found == bytes_.end()) return {};
  return found->second;
}

std::optional<double> HostProgram::number_of(const SyntaxNode& expression) const {
  if (expression.type() == "identifier") {
    const auto definition = definitions_.find(expression.text());
    if (definition != definitions_.end() && assigned_.count(expression.text()) == 0)
      return number_of(definition->second);
  }
  std::string text(expression.text());
  while (!text.empty() && (text.back() == 'f' || text.back() == 'F')) text.pop_back();
  if (const auto number = parse_real(text)) return number;
  const auto size = size_of(expression);
  if (!size || !size->constant()) return {};
  return static_cast<double>(*size->constant());
}

std::optional<Polynomial> HostProgram::variable(const SyntaxNode& node, int depth) const {
  const std::string name(node.text());
  const auto definition = definitions_.find(name);
  if (definition == definitions_.end() || assigned_.count(name) > 0) return Polynomial::name(name);
  // While a name is looked up it stands for itself: definitions may refer to each other.
  const auto [known, fresh] = meanings_.try_emplace(name, Polynomial::name(name));
  if (!fresh) return known->second;
  const auto meaning = value(definition->second, depth + 1);
  // A name for a number is an extent; a name for arithmetic over others is what it computes.
  if (meaning && !meaning->constant()) meanings_.insert_or_assign(name, *meaning);
  return meanings_.at(name);
}

std::optional<Polynomial> HostProgram::value(const SyntaxNode& node, int depth) const {
  if (depth > kDeepest) return {};
  const std::string_view type = node.type();
  if (type == "number_literal") {
    const auto number = integer_literal(node.text());
    return number ? std::optional<Polynomial>(*number) : std::nullopt;
  }
  if (type == "identifier") return variable(node, depth);
  if (type == "binary_expression") return binary(node, depth + 1);
  if (type == "call_expression") return call(node, depth + 1);
  if (type == "cast_expression") return value(node.field("value"), depth + 1);
  if (type == "parenthesized_expression") return value(first_of(node), depth + 1);
  if (type == "sizeof_expression") {
    std::vector<std::string_view> words;
    std::string_view inside = node.text().substr(sizeof("sizeof") - 1);
    const build::TokenStream stream = build::tokenize(inside);
    for (const build::Token& token : stream.tokens) {
      if (token.text != "(" && token.text != ")") words.push_back(token.text);
    }
    const auto element = build::element_type(words);
    if (!element) return {};
    return static_cast<std::int64_t>(kp::size_of(element->element)) * element->lanes;
  }
  return {};
}

std::optional<Polynomial> HostProgram::binary(const SyntaxNode& node, int depth) const {
  const auto left = value(node.field("left"), depth), right = value(node.field("right"), depth);
  if (!left || !right) return {};
  const std::string_view sign = operator_of(node);
  if (sign == "+") return *left + *right;
  if (sign == "-") return *left - *right;
  if (sign == "*") return *left * *right;
  if (sign == "/") return *left / *right;
  if (sign == "%") return *left % *right;
  const auto amount = right->constant();
  if (!amount || *amount < 0 || *amount > 62) return {};
  const Polynomial power(std::int64_t{1} << *amount);
  if (sign == "<<") return *left * power;
  if (sign == ">>") return *left / power;
  return {};
}

std::optional<Polynomial> HostProgram::call(const SyntaxNode& node, int depth) const {
  const std::string callee = last_part(node.field("function").text());
  std::vector<Polynomial> arguments;
  for (const SyntaxNode& argument : node.field("arguments").children()) {
    const auto one = value(argument, depth);
    if (!one) return {};
    arguments.push_back(*one);
  }
  if (arguments.size() == 1 && (callee == "ceil" || callee == "ceilf")) return arguments[0];
  if (arguments.size() != 2) return {};
  if (rounds_up(callee)) return (arguments[0] + arguments[1] - 1) / arguments[1];
  if (callee != "min" && callee != "max") return {};
  std::set<std::string> names = arguments[0].names();
  names.merge(arguments[1].names());
  return Polynomial::atom(callee + "(" + arguments[0].text() + ", " + arguments[1].text() + ")",
                          names);
}

}  // namespace kp::draft
