// SPDX-License-Identifier: Apache-2.0
#include "profile/sass_text.h"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>

#include "base/text.h"

namespace kp::profile {
namespace {

std::optional<std::uint64_t> parse_hex(std::string_view digits) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value, 16);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

/// The first word of `rest`, which loses it and the blanks behind it.
std::string_view take_word(std::string_view& rest) {
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t;"));
  rest = trim(rest.substr(word.size()));
  return word;
}

/// "/*0100*/  @!P0 BRA `(.L_x_2) ;  ..." to an instruction; nothing when the line is another.
std::optional<SassInstruction> instruction_in(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("/*")) return std::nullopt;
  const std::size_t close = line.find("*/");
  const std::size_t end = line.find(';');
  if (end == std::string_view::npos || close > end) return std::nullopt;
  const auto address = parse_hex(line.substr(2, close - 2));
  if (!address) return std::nullopt;
  SassInstruction instruction{.address = *address};
  std::string_view rest = trim(line.substr(close + 2, end - close - 2));
  if (rest.starts_with('@')) instruction.predicate = take_word(rest);
  instruction.opcode = take_word(rest);
  instruction.operands = rest;
  if (instruction.opcode.empty() || instruction.opcode[0] < 'A' || instruction.opcode[0] > 'Z')
    return std::nullopt;
  return instruction;
}

bool may_jump(std::string_view name) {
  return name == "BRA" || name == "BRX" || name == "JMP" || name == "JMX" || name == "CALL";
}

/// The names of labels in operands: `(.L_x_2), and those that nvdisasm lists behind an indirect
/// branch: (*"BRANCH_TARGETS .L_x_1,.L_x_2"*).
std::vector<std::string_view> labels_in(std::string_view operands) {
  std::vector<std::string_view> labels;
  constexpr std::string_view kList = "BRANCH_TARGETS ";
  if (const std::size_t list = operands.find(kList); list != std::string_view::npos) {
    std::string_view names = operands.substr(list + kList.size());
    names = names.substr(0, names.find('"'));
    for (const std::string_view name : split(names, ',')) labels.push_back(trim(name));
  } else if (const std::size_t open = operands.find("`("); open != std::string_view::npos) {
    const std::string_view name = operands.substr(open + 2);
    labels.push_back(name.substr(0, name.find(')')));
  }
  return labels;
}

/// The function that a line opens, in the words of either program; empty when it opens none.
std::string_view started_by(std::string_view line) {
  constexpr std::string_view kDump = "Function : ", kSection = ".section", kText = ".text.";
  if (line.starts_with(kDump)) return trim(line.substr(kDump.size()));
  if (!line.starts_with(kSection)) return {};
  line = trim(line.substr(kSection.size()));
  if (!line.starts_with(kText)) return {};
  return line.substr(kText.size(), line.find(',') - kText.size());
}

/// "sm_90a" in ".target sm_90a" or "code for sm_90a"; empty in all other lines.
std::string_view architecture_in(std::string_view line) {
  const std::size_t at = line.find("sm_");
  if (at == std::string_view::npos) return {};
  const bool tells = line.starts_with(".target") || line.starts_with("code for ");
  return tells ? line.substr(at, line.find_first_of(" \t,", at) - at) : std::string_view();
}

bool jumps_to_itself(const SassInstruction& instruction) {
  return instruction.name() == "BRA" && instruction.targets == std::vector{instruction.address};
}

void drop_padding(std::vector<SassInstruction>& code) {
  while (!code.empty() && (code.back().name() == "NOP" || jumps_to_itself(code.back())))
    code.pop_back();
}

/// Reads line by line; at most one function is open.
class Reader {
 public:
  void read(std::string_view line) {
    if (auto instruction = instruction_in(line)) return add(*std::move(instruction));
    line = trim(line);
    if (const std::string_view name = started_by(line); !name.empty()) return start(name);
    if (const std::string_view found = architecture_in(line); !found.empty()) architecture_ = found;
    if (line.starts_with("....") || line.starts_with(".section")) finish();
    if (line.size() > 1 && line.ends_with(':'))
      pending_.emplace_back(line.substr(0, line.size() - 1));
  }
  std::vector<SassFunction> done() && {
    finish();
    return std::move(functions_);
  }

 private:
  void start(std::string_view name) {
    finish();
    functions_.push_back({.name = std::string(name), .architecture = architecture_});
    open_ = true;
  }
  void add(SassInstruction&& instruction) {
    if (!open_) return;
    for (std::string& label : pending_) labels_[std::move(label)] = instruction.address;
    pending_.clear();
    functions_.back().code.push_back(std::move(instruction));
  }
  void finish() {
    if (open_) {
      for (SassInstruction& instruction : functions_.back().code) resolve(instruction);
      drop_padding(functions_.back().code);
      if (functions_.back().code.empty()) functions_.pop_back();
    }
    open_ = false;
    pending_.clear();
    labels_.clear();
  }
  void resolve(SassInstruction& instruction) const {
    if (!may_jump(instruction.name())) return;
    for (const std::string_view label : labels_in(instruction.operands)) {
      if (const auto found = labels_.find(label); found != labels_.end())
        instruction.targets.push_back(found->second);
    }
    // cuobjdump writes addresses instead: "BRA 0x100", "BRA.DIV UR4, 0x780".
    const std::size_t at = instruction.operands.rfind("0x");
    if (!instruction.targets.empty() || at == std::string::npos) return;
    if (const auto address = parse_hex(std::string_view(instruction.operands).substr(at + 2)))
      instruction.targets.push_back(*address);
  }

  std::vector<SassFunction> functions_;
  std::string architecture_;
  bool open_ = false;
  std::vector<std::string> pending_;  // labels of the next instruction
  std::map<std::string, std::uint64_t, std::less<>> labels_;
};

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? std::string(text.get()) : name;
}

void drop_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
}

/// "ns::k" of "void (anonymous namespace)::ns::k<float>(float *, int)", or of its mangled form.
/// Compilers and profilers write all but the identifier in ways of their own.
std::string identifier_of(const std::string& kernel) {
  std::string name = kernel.starts_with("_Z") ? demangled(kernel) : kernel;
  for (const char* unnamed : {"(anonymous namespace)::", "<unnamed>::", "_NV_ANON_NAMESPACE::"})
    drop_all(name, unnamed);
  std::string identifier;
  int depth = 0;
  for (const char c : name) {
    if (c == '>' && depth > 0)
      --depth;
    else if (c == '<')
      ++depth;
    else if (depth == 0 && c == '(')
      break;
    else if (depth == 0)
      identifier += c;
  }
  return identifier.substr(identifier.rfind(' ') + 1);
}

}  // namespace

std::string_view SassInstruction::name() const {
  return std::string_view(opcode).substr(0, opcode.find('.'));
}

bool SassInstruction::has_suffix(std::string_view suffix) const {
  const auto parts = split(opcode, '.');
  return std::find(parts.begin() + 1, parts.end(), suffix) != parts.end();
}

Result<std::vector<SassFunction>> read_sass(std::string_view text) {
  Reader reader;
  for (const std::string_view line : split_lines(text)) reader.read(line);
  std::vector<SassFunction> functions = std::move(reader).done();
  if (functions.empty()) {
    return fail(ErrorCode::kInvalidInput, "there is no machine code in the disassembler's output",
                "give a cubin or a program that holds kernels for a GPU of compute capability 7.0 "
                "or later; a program may hold PTX alone");
  }
  return functions;
}

const SassFunction* find_function(const std::vector<SassFunction>& functions,
                                  std::string_view kernel, std::string_view architecture) {
  const SassFunction* found = nullptr;
  const std::string wanted = identifier_of(std::string(kernel));
  for (const SassFunction& function : functions) {
    if (!function.architecture.starts_with(architecture)) continue;
    if (function.name == kernel) return &function;
    if (identifier_of(function.name) != wanted) continue;
    if (found != nullptr) return nullptr;
    found = &function;
  }
  return found;
}

}  // namespace kp::profile
