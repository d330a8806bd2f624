// SPDX-License-Identifier: Apache-2.0
#include "propose/syntax.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kp::propose {
namespace {

struct ElementType {
  std::string_view name;
  unsigned bytes;
};
constexpr std::array<ElementType, 19> kElementTypes{{
    {"float", 4},       {"int", 4},    {"unsigned int", 4},   {"unsigned", 4},      {"int32_t", 4},
    {"uint32_t", 4},    {"__half", 2}, {"half", 2},           {"short", 2},         {"int16_t", 2},
    {"uint16_t", 2},    {"char", 1},   {"unsigned char", 1},  {"uint8_t", 1},       {"int8_t", 1},
    {"signed char", 1}, {"double", 8}, {"unsigned short", 2}, {"__nv_bfloat16", 2},
}};

constexpr std::array<std::string_view, 3> kCommunicationPrefixes{"__sync", "__shfl", "atomic"};

std::optional<PointerParameter> pointer_parameter(const SourceTree& tree,
                                                  const SyntaxNode& parameter) {
  const SyntaxNode declarator = parameter.field("declarator");
  if (!declarator.valid() || declarator.type() != "pointer_declarator") return std::nullopt;
  PointerParameter pointer;
  pointer.element = std::string(parameter.field("type").text());
  pointer.element_bytes = bytes_of_element(pointer.element);
  if (pointer.element_bytes == 0) return std::nullopt;
  for (const SyntaxNode& child : parameter.children()) {
    pointer.constant = pointer.constant || child.text() == "const";
  }
  const auto names = tree.all(declarator, "identifier");
  if (names.size() != 1) return std::nullopt;
  pointer.name = std::string(names.front().text());
  return pointer;
}

template <class AnyPlan>
auto* find_only_launch(AnyPlan& plan, std::string_view kernel) {
  decltype(std::get_if<Launch>(&plan.steps.front())) found = nullptr;
  for (auto& step : plan.steps) {
    auto* launch = std::get_if<Launch>(&step);
    if (!launch || launch->kernel != kernel) continue;
    if (found) return static_cast<decltype(found)>(nullptr);
    found = launch;
  }
  return found;
}

/// Kernels for more than 2^31 elements widen the block's number before they multiply.
std::string without_widening(std::string text, const std::string& block) {
  for (const std::string type :
       {"longlong", "unsignedlonglong", "long", "unsignedlong", "size_t", "int64_t", "uint64_t",
        "std::size_t", "std::int64_t", "std::uint64_t"}) {
    for (const std::string& cast :
         {"(" + type + ")" + block, "static_cast<" + type + ">(" + block + ")"}) {
      if (const std::size_t at = text.find(cast); at != std::string::npos)
        return text.replace(at, cast.size(), block);
    }
  }
  return text;
}

}  // namespace

std::string squeezed(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    if (!std::isspace(static_cast<unsigned char>(c))) kept += c;
  }
  return kept;
}

std::string_view name_of_kernel(const SyntaxNode& kernel) {
  return kernel.field("declarator").field("declarator").text();
}

std::vector<LocalVariable> initialised_locals(const SourceTree& tree, const SyntaxNode& scope) {
  std::vector<LocalVariable> locals;
  for (const SyntaxNode& declaration : tree.all(scope, "declaration")) {
    const SyntaxNode declarator = declaration.field("declarator");
    if (!declarator.valid() || declarator.type() != "init_declarator") continue;
    const auto initialisers = tree.all(declaration, "init_declarator");
    const SyntaxNode name = declarator.field("declarator");
    if (initialisers.size() != 1 || name.type() != "identifier") continue;
    locals.push_back({std::string(name.text()), declaration, declarator.field("value")});
  }
  return locals;
}

bool is_number_type(std::string_view type) {
  constexpr std::array<std::string_view, 8> kTypes{
      "float", "double", "int", "unsigned", "unsigned int", "long long", "unsigned long long",
      "size_t"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

unsigned bytes_of_element(std::string_view type) {
  const auto known = std::find_if(kElementTypes.begin(), kElementTypes.end(),
                                  [type](const ElementType& e) { return e.name == type; });
  return known == kElementTypes.end() ? 0 : known->bytes;
}

char thread_index_axis(const SyntaxNode& value) {
  const std::string written = squeezed(value.text());
  for (const char axis : {'x', 'y', 'z'}) {
    const std::string block = std::string("blockIdx.") + axis,
                      size = std::string("blockDim.") + axis;
    const std::string text = without_widening(written, block);
    const std::string thread = std::string("threadIdx.") + axis;
    for (const std::string& product : {block + "*" + size, size + "*" + block}) {
      if (text == product + "+" + thread || text == thread + "+" + product) return axis;
    }
  }
  return 0;
}

std::vector<PointerParameter> pointer_parameters(const SourceTree& tree, const SyntaxNode& kernel) {
  std::vector<PointerParameter> pointers;
  const SyntaxNode list = kernel.field("declarator").field("parameters");
  for (const SyntaxNode& parameter : tree.all(list, "parameter_declaration")) {
    if (auto pointer = pointer_parameter(tree, parameter)) pointers.push_back(*std::move(pointer));
  }
  return pointers;
}

bool mentions(const SourceTree& tree, const SyntaxNode& node, std::string_view name) {
  if (node.type() == "identifier") return node.text() == name;
  const auto names = tree.all(node, "identifier");
  return std::any_of(names.begin(), names.end(),
                     [name](const SyntaxNode& n) { return n.text() == name; });
}

bool communicates(const SourceTree& tree, const SyntaxNode& node) {
  for (const SyntaxNode& call : tree.all(node, "call_expression")) {
    for (const std::string_view prefix : kCommunicationPrefixes) {
      if (call.field("function").text().starts_with(prefix)) return true;
    }
  }
  return false;
}

const Launch* only_launch(const Plan& plan, std::string_view kernel) {
  return plan.steps.empty() ? nullptr : find_only_launch(plan, kernel);
}
Launch* only_launch(Plan& plan, std::string_view kernel) {
  return plan.steps.empty() ? nullptr : find_only_launch(plan, kernel);
}

std::optional<std::int64_t> literal(const Expr& expr) {
  const auto& steps = expr.postfix();
  if (steps.size() != 1 || steps.front().op != Expr::Op::kLiteral) return std::nullopt;
  return steps.front().value;
}

std::optional<Expr> divisor_times(const Expr& expr, std::int64_t factor) {
  auto steps = expr.postfix();
  const std::string& text = expr.text();
  if (steps.back().op != Expr::Op::kCeilDiv || text.back() != ')') return std::nullopt;
  int depth = 0;
  std::size_t comma = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (text[i] == ',' && depth == 1) comma = i;
  }
  if (comma == 0) return std::nullopt;
  const std::size_t first = text.find_first_not_of(' ', comma + 1);
  const std::string divisor = text.substr(first, text.size() - 1 - first);
  const bool simple = divisor.find_first_of(" +-*/%") == std::string::npos;
  const std::string factor_text = std::to_string(factor);
  steps.insert(steps.end() - 1, {{Expr::Op::kLiteral, factor, ""}, {Expr::Op::kMultiply, 0, ""}});
  return Expr(std::move(steps), text.substr(0, first) + (simple ? divisor : "(" + divisor + ")") +
                                    " * " + factor_text + ")");
}

SyntaxNode array_of(SyntaxNode subscript) {
  while (subscript.type() == "subscript_expression") subscript = subscript.children().front();
  return subscript;
}

}  // namespace kp::propose
