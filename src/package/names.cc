// SPDX-License-Identifier: Apache-2.0
#include "package/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

namespace kp::package {
namespace {

// Keywords of C++ and Python that a plan may use as names, and what the generated code calls its
// own.
constexpr std::string_view kTaken[] = {
    "Arguments", "Launcher",  "None",     "Shape",     "Version",  "Whole",    "alignas",
    "and",       "arguments", "array",    "as",        "asm",      "assert",   "async",
    "auto",      "await",     "bool",     "break",     "case",     "catch",    "ceil_div",
    "char",      "class",     "compl",    "const",     "continue", "ctypes",   "decltype",
    "def",       "default",   "del",      "delete",    "device",   "do",       "double",
    "eager",     "elif",      "else",     "enum",      "except",   "explicit", "export",
    "extern",    "false",     "finally",  "float",     "for",      "friend",   "from",
    "global",    "goto",      "if",       "import",    "in",       "inline",   "int",
    "is",        "kernelpro", "lambda",   "launch",    "long",     "map",      "max",
    "memory",    "min",       "mutable",  "namespace", "new",      "noexcept", "nonlocal",
    "not",       "nullptr",   "operator", "optimized", "or",       "original", "outputs",
    "pass",      "prepare",   "private",  "protected", "public",   "raise",    "register",
    "requires",  "return",    "shape",    "shapes",    "short",    "signed",   "sizeof",
    "static",    "status",    "std",      "stream",    "struct",   "switch",   "template",
    "this",      "throw",     "torch",    "true",      "try",      "typedef",  "typeid",
    "typename",  "union",     "unsigned", "using",     "version",  "virtual",  "void",
    "volatile",  "while",     "with",     "workspace", "xor",      "yield"};

struct Spelling {
  DType type;
  std::string_view cpp, torch, map;
};
constexpr Spelling kSpellings[] = {
    {DType::kF64, "double", "float64", "FLOAT64"},
    {DType::kF32, "float", "float32", "FLOAT32"},
    {DType::kF16, "__half", "float16", "FLOAT16"},
    {DType::kBf16, "__nv_bfloat16", "bfloat16", "BFLOAT16"},
    {DType::kF8E4M3, "__nv_fp8_e4m3", "float8_e4m3fn", "UINT8"},
    {DType::kF8E5M2, "__nv_fp8_e5m2", "float8_e5m2", "UINT8"},
    {DType::kI64, "std::int64_t", "int64", "INT64"},
    {DType::kI32, "std::int32_t", "int32", "INT32"},
    {DType::kI16, "std::int16_t", "int16", "UINT16"},
    {DType::kI8, "std::int8_t", "int8", "UINT8"},
    {DType::kU64, "std::uint64_t", "uint64", "UINT64"},
    {DType::kU32, "std::uint32_t", "uint32", "UINT32"},
    {DType::kU16, "std::uint16_t", "uint16", "UINT16"},
    {DType::kU8, "std::uint8_t", "uint8", "UINT8"},
    {DType::kBool, "bool", "bool", "UINT8"},
};

const Spelling& spelling_of(DType type) {
  return *std::find_if(std::begin(kSpellings), std::end(kSpellings),
                       [type](const Spelling& spelling) { return spelling.type == type; });
}

}  // namespace

std::string identifier_of(std::string_view name) {
  const bool taken = std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
  // Names that start with an underscore belong to compilers and libraries.
  return fmt::format("{}{}{}", name.starts_with('_') ? "v" : "", name, taken ? "_" : "");
}

std::string operator_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool good = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    name += good ? c : '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0)
    name = "op_" + name;
  return identifier_of(name);
}

Result<void> check_names(const Declaration& declaration) {
  std::set<std::string> seen;
  const auto add = [&seen](const std::string& name) -> Result<void> {
    if (seen.insert(identifier_of(name)).second) return {};
    return fail(ErrorCode::kInvalidInput,
                fmt::format("`{}` and another name of the task become one in generated code", name),
                "rename it in the task");
  };
  for (const std::string& axis : declaration.axes) KP_TRY_VOID(add(axis));
  for (const Tensor& tensor : declaration.tensors) KP_TRY_VOID(add(tensor.name));
  return {};
}

std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool printable = c >= ' ' && c <= '~';
    out += !printable ? ' ' : c == '"' ? '\'' : c == '\\' ? '/' : c;
  }
  return out;
}

std::string_view cpp_type(DType type) { return spelling_of(type).cpp; }
std::string_view torch_type(DType type) { return spelling_of(type).torch; }
std::string_view tensor_map_type(DType type) { return spelling_of(type).map; }

}  // namespace kp::package
