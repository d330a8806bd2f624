// SPDX-License-Identifier: Apache-2.0
#include "build/signature.h"

#include <algorithm>
#include <array>

#include "build/tokens.h"
#include "build/type_names.h"

namespace kp::build {
namespace {

constexpr int kDeepestAlias = 16;
constexpr std::size_t kMostTypeTokens = 256;

constexpr std::array<std::string_view, 8> kQualifiers{"const",      "volatile", "__restrict__",
                                                      "__restrict", "restrict", "__grid_constant__",
                                                      "struct",     "register"};

bool is_qualifier(std::string_view word) {
  return std::find(kQualifiers.begin(), kQualifiers.end(), word) != kQualifiers.end();
}

/// Where a kernel's name and parameter list stand among the tokens.
struct Declared {
  std::size_t name = 0, open = 0, close = 0;
};

std::size_t matching_close(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].text == "(") ++depth;
    if (tokens[i].text == ")" && --depth == 0) return i;
  }
  return tokens.size();
}

/// From `__global__` on, the parenthesised list before `{` or `;` is the parameter list; those
/// before it belong to attributes, whatever macros they hide behind.
std::optional<Declared> declared_after(const Tokens& tokens, std::size_t from) {
  for (std::size_t i = from; i + 1 < tokens.size(); ++i) {
    const std::string_view text = tokens[i].text;
    if (text == "{" || text == ";" || text == "}") return {};
    if (text != "(") continue;
    const std::size_t close = matching_close(tokens, i);
    if (close + 1 >= tokens.size()) return {};
    const std::string_view next = tokens[close + 1].text;
    if ((next == "{" || next == ";") && is_identifier(tokens[i - 1].text))
      return Declared{i - 1, i, close};
    i = close;
  }
  return {};
}

/// Replaces macros and aliases in a type until none is left.
std::vector<std::string_view> expand(const TokenStream& stream, std::string_view word, int depth) {
  const Tokens* replacement = nullptr;
  if (const auto macro = stream.macros.find(word); macro != stream.macros.end())
    replacement = &macro->second;
  else if (const auto alias = stream.aliases.find(word); alias != stream.aliases.end())
    replacement = &alias->second;
  if (replacement == nullptr || depth == kDeepestAlias) return {word};
  std::vector<std::string_view> words;
  for (const Token& token : *replacement) {
    if (token.text == word) return {word};
    for (const std::string_view part : expand(stream, token.text, depth + 1)) {
      if (words.size() == kMostTypeTokens) return words;
      words.push_back(part);
    }
  }
  return words;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) {
    const bool glued = text.empty() || word == ":" || text.back() == ':';
    text += glued ? "" : " ";
    text += word;
  }
  return text;
}

/// Fills in what a type says. `words` has macros and aliases replaced.
void read_type(const std::vector<std::string_view>& words, KernelParameter& parameter) {
  std::vector<std::string_view> pointee;
  bool is_constant = false;
  for (const std::string_view word : words) {
    if (word == "*" || word == "&") {
      parameter.pointer = true;
      break;
    }
    is_constant |= word == "const";
    if (!is_qualifier(word)) pointee.push_back(word);
  }
  parameter.constant = parameter.pointer && is_constant;
  if (const auto type = element_type(pointee)) {
    parameter.element = type->element;
    parameter.lanes = type->lanes;
  }
}

/// Whether the last token names the parameter; otherwise it belongs to the type of an unnamed one.
bool ends_in_name(const TokenStream& stream, const std::vector<std::string_view>& tokens) {
  if (tokens.empty() || !is_identifier(tokens.back())) return false;
  const auto meaning = expand(stream, tokens.back(), 0);
  if (meaning.empty() || is_qualifier(meaning.front()) || element_type({tokens.back()}))
    return false;
  return std::any_of(tokens.begin(), tokens.end() - 1, [](std::string_view word) {
    return is_identifier(word) && !is_qualifier(word);
  });
}

/// `tokens` is one parameter as written: type, then a name that may be missing.
KernelParameter read_parameter(const TokenStream& stream, std::vector<std::string_view> tokens) {
  KernelParameter parameter;
  const auto bracket = std::find(tokens.begin(), tokens.end(), "[");
  const bool array = bracket != tokens.end();
  tokens.erase(bracket, tokens.end());
  if (ends_in_name(stream, tokens)) {
    parameter.name = tokens.back();
    tokens.pop_back();
  }
  if (array) tokens.push_back("*");
  parameter.type = joined(tokens);
  std::vector<std::string_view> words;
  for (const std::string_view token : tokens) {
    const auto parts = expand(stream, token, 0);
    words.insert(words.end(), parts.begin(), parts.end());
  }
  read_type(words, parameter);
  return parameter;
}

std::vector<KernelParameter> read_parameters(const TokenStream& stream, const Declared& declared) {
  std::vector<KernelParameter> parameters;
  std::vector<std::string_view> current;
  int depth = 0;
  for (std::size_t i = declared.open + 1; i <= declared.close; ++i) {
    const std::string_view text = stream.tokens[i].text;
    depth += text == "(" || text == "<" || text == "[";
    const bool ends = (text == "," && depth == 0) || i == declared.close;
    if (text == ")" || text == ">" || text == "]") --depth;
    if (!ends) {
      current.push_back(text);
    } else if (!current.empty() && !(current.size() == 1 && current[0] == "void")) {
      parameters.push_back(read_parameter(stream, std::exchange(current, {})));
    }
  }
  return parameters;
}

/// Sizes and offsets as the compiler laid them out.
void join_layout(const ptx::Function& function, std::vector<KernelParameter>& parameters) {
  // A list that the reader did not understand must not shift names against sizes.
  if (parameters.size() != function.parameters.size())
    parameters.assign(function.parameters.size(), KernelParameter{});
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const ptx::Variable& variable = function.parameters[i];
    const std::uint64_t natural = std::max<std::uint64_t>(ptx::bytes_of(variable.type), 1);
    const std::uint64_t align = std::max(variable.align, natural);
    offset = (offset + align - 1) / align * align;
    parameters[i].bytes = static_cast<std::uint32_t>(variable.bytes());
    parameters[i].offset = static_cast<std::uint32_t>(offset);
    offset += variable.bytes();
  }
}

}  // namespace

std::vector<KernelSignature> declared_signatures(std::string_view source, const std::string& file) {
  const TokenStream stream = tokenize(source);
  std::vector<KernelSignature> signatures;
  for (std::size_t i = 0; i < stream.tokens.size(); ++i) {
    if (stream.tokens[i].text != "__global__") continue;
    const auto found = declared_after(stream.tokens, i + 1);
    if (!found) continue;
    const Token& name = stream.tokens[found->name];
    signatures.push_back({std::string(name.text), read_parameters(stream, *found),
                          spot_of(source, name.offset, file)});
  }
  return signatures;
}

std::vector<KernelSignature> read_signatures(std::string_view source, const std::string& file,
                                             const ptx::Module& module) {
  const std::vector<KernelSignature> declared = declared_signatures(source, file);
  std::vector<KernelSignature> signatures;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry) continue;
    KernelSignature& signature = signatures.emplace_back();
    signature.kernel = function.name;
    // A kernel may be declared before it is defined; the last one counts.
    const auto found = std::find_if(declared.rbegin(), declared.rend(), [&](const auto& known) {
      return known.kernel == function.name;
    });
    if (found != declared.rend()) signature = *found;
    join_layout(function, signature.parameters);
  }
  return signatures;
}

}  // namespace kp::build
