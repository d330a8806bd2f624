// SPDX-License-Identifier: Apache-2.0
#include "draft/device_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "build/tokens.h"

namespace kp::draft {
namespace {

using build::SourceTree;
using build::SyntaxNode;

// What a compiler of device code finds without the host's standard library.
constexpr std::array<std::string_view, 9> kDeviceHeaders{
    "cuda_fp16",          "cuda_bf16", "cuda_fp8", "math_constants", "mma.h",
    "cooperative_groups", "cub/",      "cuda/",    "vector_types"};
constexpr std::array<std::string_view, 8> kCHeaders{"stdint.h", "cstdint", "float.h", "cfloat",
                                                    "limits.h", "climits", "math.h",  "stddef.h"};

bool starts_with_any(std::string_view text, const auto& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [text](std::string_view prefix) { return text.starts_with(prefix); });
}

/// The text of a definition in front of its body.
std::string_view head_of(const SyntaxNode& node) {
  const SyntaxNode body = node.field("body");
  return body.valid() ? node.text().substr(0, body.begin() - node.begin()) : node.text();
}

bool has_word(std::string_view text, std::string_view word) {
  const build::TokenStream stream = build::tokenize(text);
  return std::any_of(stream.tokens.begin(), stream.tokens.end(),
                     [word](const build::Token& token) { return token.text == word; });
}

/// Replaces whole words.
std::string substituted(std::string_view text, const std::map<std::string, std::string>& words) {
  std::string out;
  std::size_t done = 0;
  const build::TokenStream stream = build::tokenize(text);
  for (const build::Token& token : stream.tokens) {
    const auto found = words.find(std::string(token.text));
    if (found == words.end()) continue;
    out.append(text.substr(done, token.offset - done)).append(found->second);
    done = token.offset + token.text.size();
  }
  return out.append(text.substr(done));
}

class Reader {
 public:
  Reader(const SourceTree& tree, const std::vector<Instance>& instances)
      : tree_(tree), instances_(instances) {}

  DeviceText run() {
    items(tree_.root());
    // A header of the project's own may have brought these.
    require("cuda_fp16.h", {"__half", "half", "__half2", "half2"});
    require("cuda_bf16.h", {"__nv_bfloat16", "__nv_bfloat162", "nv_bfloat16"});
    return std::move(out_);
  }

 private:
  void require(const std::string& header, std::initializer_list<std::string_view> words) {
    const std::string& text = out_.source;
    if (text.find(header) != std::string::npos) return;
    const bool used = std::any_of(words.begin(), words.end(),
                                  [&text](std::string_view word) { return has_word(text, word); });
    if (used) out_.source = "#include <" + header + ">\n" + text;
  }

  void keep(std::string_view text) {
    out_.source.append(text);
    if (!text.ends_with('\n')) out_.source += '\n';
  }

  void items(const SyntaxNode& scope) {
    std::size_t last_line = 0;
    for (const SyntaxNode& item : scope.children()) {
      const auto line = static_cast<std::size_t>(item.line());
      const std::size_t before = out_.source.size();
      if (last_line != 0 && line > last_line + 1 && !out_.source.ends_with("\n\n"))
        out_.source += '\n';
      const std::size_t start = out_.source.size();
      one(item);
      if (out_.source.size() == start) out_.source.resize(before);
      last_line =
          line + static_cast<std::size_t>(std::count(item.text().begin(), item.text().end(), '\n'));
    }
  }

  void one(const SyntaxNode& item) {
    const std::string_view type = item.type();
    if (type == "preproc_include") return include(item);
    if (type == "namespace_definition") return scope(item);
    if (type == "linkage_specification") return linkage(item);
    if (type == "template_declaration") return of_template(item);
    if (type == "function_definition") return function(item);
    if (type == "declaration") return declaration(item);
    if (type == "using_declaration") return using_(item);
    if (type == "ERROR") return;
    if (item.text().find("std::") == std::string_view::npos) keep(item.text());
  }

  void include(const SyntaxNode& item) {
    const std::string_view name = item.field("path").text();
    const std::string_view inner = name.size() > 2 ? name.substr(1, name.size() - 2) : name;
    const bool c_header = std::find(kCHeaders.begin(), kCHeaders.end(), inner) != kCHeaders.end();
    if (starts_with_any(inner, kDeviceHeaders) || c_header) return keep(item.text());
    if (name.starts_with('"')) out_.dropped_headers.emplace_back(inner);
  }

  void scope(const SyntaxNode& item) {
    const std::size_t start = out_.source.size();
    keep(std::string(head_of(item)) + "{");
    const std::size_t inside = out_.source.size();
    items(item.field("body"));
    if (out_.source.size() == inside) return out_.source.resize(start);
    keep("}");
  }

  void linkage(const SyntaxNode& item) {
    const SyntaxNode body = item.field("body");
    body.type() == "declaration_list" ? items(body) : one(body);
  }

  void using_(const SyntaxNode& item) {
    if (!has_word(item.text(), "std")) keep(item.text());
  }

  void declaration(const SyntaxNode& item) {
    const std::string_view text = item.text();
    const bool device = has_word(text, "__device__") || has_word(text, "__constant__");
    const bool constant = has_word(text, "constexpr") || has_word(text, "const");
    const bool foreign = has_word(text, "std") || has_word(text, "__global__");
    if (device || (constant && !foreign)) keep(text);
  }

  void function(const SyntaxNode& item) {
    const std::string_view head = head_of(item);
    if (has_word(head, "__global__")) return kernel(item);
    if (has_word(head, "__device__") || has_word(head, "constexpr")) keep(item.text());
  }

  void kernel(const SyntaxNode& item) {
    if (!wanted(kernel_name(item)).empty()) {
      keep("extern \"C\" " + substituted(head_of(item), {{"static", ""}}) +
           std::string(item.field("body").text()));
    }
  }

  std::vector<const Instance*> wanted(const std::string& kernel) const {
    std::vector<const Instance*> found;
    for (const Instance& instance : instances_) {
      if (instance.kernel == kernel) found.push_back(&instance);
    }
    return found;
  }

  void of_template(const SyntaxNode& item) {
    const auto functions = tree_.all(item, "function_definition");
    if (functions.empty()) return keep(item.text());
    const SyntaxNode& definition = functions.front();
    const std::string_view head = head_of(definition);
    if (!has_word(head, "__global__")) {
      if (has_word(head, "__device__") || has_word(head, "constexpr")) keep(item.text());
      return;
    }
    const auto instances = wanted(kernel_name(definition));
    if (instances.empty()) return;
    std::string body(item.text());
    const std::string device = substituted(
        without_bounds(definition), {{"__global__", "__device__ __forceinline__"}, {"static", ""}});
    body.replace(definition.begin() - item.begin(), head.size(), device);
    keep(body);
    for (const Instance* instance : instances) keep("\n" + instantiation(definition, *instance));
  }

  static std::string bounds_of(const SyntaxNode& definition) {
    for (const SyntaxNode& child : definition.children()) {
      if (child.type() == "launch_bounds") return std::string(child.text()) + " ";
    }
    return "";
  }

  static std::string without_bounds(const SyntaxNode& definition) {
    std::string head(head_of(definition));
    const std::string bounds = bounds_of(definition);
    if (!bounds.empty()) head.erase(head.find(bounds.substr(0, bounds.size() - 1)), bounds.size());
    return head;
  }

  std::string instantiation(const SyntaxNode& definition, const Instance& instance) const {
    std::map<std::string, std::string> types;
    const auto names = template_parameters(tree_, definition);
    for (std::size_t i = 0; i < names.size() && i < instance.types.size(); ++i)
      types[names[i]] = instance.types[i];
    const SyntaxNode declarator = definition.field("declarator");
    const SyntaxNode parameters = declarator.field("parameters");
    std::vector<std::string> arguments;
    for (const SyntaxNode& parameter : parameters.children()) {
      const auto identifiers = tree_.all(parameter, "identifier");
      if (!identifiers.empty()) arguments.emplace_back(identifiers.back().text());
    }
    return fmt::format("extern \"C\" __global__ void {}{}{} {{\n  {}<{}>({});\n}}",
                       substituted(bounds_of(definition), types), instance.name(),
                       substituted(parameters.text(), types), instance.kernel,
                       fmt::join(instance.types, ", "), fmt::join(arguments, ", "));
  }

  const SourceTree& tree_;
  const std::vector<Instance>& instances_;
  DeviceText out_;
};

}  // namespace

std::string Instance::name() const {
  std::string name = kernel;
  for (const std::string& type : types) {
    name += '_';
    for (const char c : type) {
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') name += c;
    }
  }
  return name;
}

std::string kernel_name(const SyntaxNode& kernel) {
  return std::string(kernel.field("declarator").field("declarator").text());
}

std::vector<std::string> template_parameters(const SourceTree& tree, const SyntaxNode& kernel) {
  std::vector<std::string> names;
  const SyntaxNode above = kernel.parent();
  if (above.type() != "template_declaration") return names;
  for (const SyntaxNode& parameter : above.field("parameters").children()) {
    auto identifiers = tree.all(parameter, "identifier");
    if (identifiers.empty()) identifiers = tree.all(parameter, "type_identifier");
    if (!identifiers.empty()) names.emplace_back(identifiers.back().text());
  }
  return names;
}

DeviceText device_text(const SourceTree& tree, const std::vector<Instance>& instances) {
  return Reader(tree, instances).run();
}

}  // namespace kp::draft
