// SPDX-License-Identifier: Apache-2.0
#include "build/binary_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "build/elf.h"
#include "build/ptx_names.h"
#include "build/tokens.h"

namespace kp::build {
namespace {

constexpr std::uint64_t kMostTableBytes = 4096;
// Of variables that no instruction names. One small CuTe product has 5.5 KB of them from NVRTC.
constexpr std::uint64_t kMostUnnamedBytes = 64u << 10;
constexpr std::uint64_t kLargestAlignment = 16;

/// What the loader itself provides. Everything else that is undefined is a service of the runtime.
constexpr std::array<std::string_view, 2> kLoaderSymbols{".nv.reservedSmem.offset0",
                                                         "__nv_reservedSMEM_offset_0_alias"};

std::string_view reason_for_service(std::string_view symbol) {
  if (symbol == "vprintf") return "device printf writes to a buffer of the harness";
  if (symbol == "malloc" || symbol == "free") return "the device heap keeps state between runs";
  if (symbol == "__assertfail") return "a failing assert would stop the whole device";
  if (symbol.starts_with("cudaLaunch") || symbol.starts_with("cudaGetParameterBuffer"))
    return "kernels launched from the device are not in the plan";
  return "the plan's kernels must be complete by themselves";
}

/// Whether `symbol` is the compiler's name for a variable `name`: the same, or with its length in
/// front inside a scope, as in _ZZ1kE5table.
bool is_name_of(std::string_view symbol, std::string_view name) {
  return symbol == name || symbol.find(fmt::format("{}{}", name.size(), name)) != symbol.npos;
}

/// `float table[4]`, `int n = 1, m = 2`: a word or a comma before, an initialiser, another
/// declarator or the end after.
bool is_declaration(const Tokens& tokens, std::size_t at) {
  if (at == 0 || at + 1 == tokens.size()) return false;
  const std::string_view before = tokens[at - 1].text, after = tokens[at + 1].text;
  const bool begins =
      before == "," || (is_identifier(before) && before != "return" && before != "else");
  return begins && (after == "[" || after == "=" || after == "{" || after == ";" || after == ",");
}

/// Walks back to where the declaration begins; before a comma there may be the initialiser of
/// another declarator.
bool says_constant(const Tokens& tokens, std::size_t at) {
  bool another = false;
  while (at-- > 0) {
    const std::string_view text = tokens[at].text;
    if (text == "const" || text == "constexpr") return true;
    if (text == ";" || text == "{" || text == "}" || text == "(") return false;
    if (text == "=" && !another) return false;
    another = text == "," || (another && text != "=");
  }
  return false;
}

/// Whether `source` can make no variable with a name of the CUDA runtime's own: it neither writes
/// the prefix nor joins names or strings of which it could come.
bool leaves_runtime_names_alone(std::string_view source) {
  constexpr std::array<std::string_view, 3> kWays{"__cudart_", "##", "asm"};
  return std::ranges::none_of(
      kWays, [source](std::string_view way) { return source.find(way) != source.npos; });
}

/// Whether the source declares variables of this name, and only as constants.
bool declared_constant(const TokenStream& stream, std::string_view symbol) {
  bool declared = false;
  for (std::size_t i = 0; i < stream.tokens.size(); ++i) {
    const std::string_view text = stream.tokens[i].text;
    if (!is_identifier(text) || !is_declaration(stream.tokens, i) || !is_name_of(symbol, text))
      continue;
    if (!says_constant(stream.tokens, i)) return false;
    declared = true;
  }
  return declared;
}

/// Tables that come with functions of the runtime, such as that of large angles in sinf.
bool is_table_of_runtime(std::string_view symbol, std::string_view source) {
  return symbol.starts_with("__cudart_") && leaves_runtime_names_alone(source);
}

std::optional<Rejected> check_variable(const ElfSymbol& symbol, std::string_view section,
                                       const TokenStream& stream) {
  if (section == ".nv.global")
    return Rejected{
        "writable-global",
        fmt::format("the device variable `{}` ({} bytes) keeps state between runs; use a "
                    "`buffer` of the plan",
                    symbol.name, symbol.bytes)};
  // String literals and __func__. A variable of inline PTX is called `$__name__number`.
  const bool literal = symbol.name == "$str" || symbol.name.starts_with("$str$") ||
                       symbol.name.starts_with("__unnamed_");
  if (literal || declared_constant(stream, symbol.name)) return {};
  return Rejected{
      "writable-global",
      fmt::format("the initialised device variable `{}` ({} bytes) is writable; declare it "
                  "`const` or `__constant__`, or use a `buffer` of the plan",
                  symbol.name, symbol.bytes)};
}

bool is_variable_section(std::string_view name) { return name.starts_with(".nv.global"); }

/// Bytes of variables that are there but that no instruction names, by section: those of headers,
/// such as cute::_ and the members of type traits. What cannot be named keeps no state.
using UnnamedBytes = std::vector<std::uint64_t>;

std::optional<Rejected> check_sections(const Elf& elf, const UnnamedBytes& unnamed) {
  // Sections count too: a symbol table can leave a variable out.
  for (std::size_t i = 0; i < elf.sections.size(); ++i) {
    const ElfSection& section = elf.sections[i];
    if (!is_variable_section(section.name)) continue;
    const std::uint64_t named = section.name == ".nv.global" ? 0 : kMostTableBytes;
    const std::uint64_t most = named + std::min(unnamed[i], kMostUnnamedBytes);
    if (section.bytes <= most) continue;
    return Rejected{
        "writable-global",
        fmt::format("section {} has {} bytes, {} are allowed; put tables into __constant__ "
                    "memory or an input",
                    section.name, section.bytes, most)};
  }
  return {};
}

std::optional<Rejected> check_variables(const Elf& elf, const GateRequest& request) {
  const TokenStream stream = tokenize(request.source);
  const PtxNames names(request.ptx);
  UnnamedBytes unnamed(elf.sections.size());
  for (const ElfSymbol& symbol : elf.symbols) {
    const std::string& section = elf.sections[symbol.section].name;
    if (!symbol.object || symbol.undefined || !is_variable_section(section)) continue;
    if (names.count(symbol.name) == 1) {  // its declaration
      const std::uint64_t bytes = std::min(symbol.bytes, kMostUnnamedBytes);
      unnamed[symbol.section] +=
          (bytes + kLargestAlignment - 1) / kLargestAlignment * kLargestAlignment;
      continue;
    }
    if (section != ".nv.global" && is_table_of_runtime(symbol.name, request.source)) continue;
    if (auto rejected = check_variable(symbol, section, stream)) return rejected;
  }
  return check_sections(elf, unnamed);
}

std::optional<Rejected> check_undefined(const Elf& elf) {
  for (const ElfSymbol& symbol : elf.symbols) {
    if (!symbol.undefined || symbol.name.empty()) continue;
    if (std::find(kLoaderSymbols.begin(), kLoaderSymbols.end(), symbol.name) !=
        kLoaderSymbols.end())
      continue;
    return Rejected{"undefined-symbol", fmt::format("the binary calls `{}`: {}", symbol.name,
                                                    reason_for_service(symbol.name))};
  }
  return {};
}

bool is_kernel(const ElfSymbol& symbol) {
  return symbol.function && symbol.entry && !symbol.undefined;
}

}  // namespace

Result<std::vector<std::string>> kernels_of(std::string_view cubin) {
  KP_TRY(const Elf elf, read_elf(cubin));
  std::vector<std::string> names;
  for (const ElfSymbol& symbol : elf.symbols) {
    if (is_kernel(symbol)) names.push_back(symbol.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::optional<Rejected>> check_binary(const GateRequest& request) {
  KP_TRY(const Elf elf, read_elf(request.cubin));
  if (auto rejected = check_variables(elf, request)) return rejected;
  if (auto rejected = check_undefined(elf)) return rejected;
  for (const ElfSymbol& symbol : elf.symbols) {
    if (!is_kernel(symbol) || request.kernels.contains(symbol.name)) continue;
    return std::optional(
        Rejected{"unplanned-kernel",
                 fmt::format("the plan never launches the kernel `{}`; remove it or add a launch",
                             symbol.name)});
  }
  return std::optional<Rejected>{};
}

}  // namespace kp::build
