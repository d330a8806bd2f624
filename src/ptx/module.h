// SPDX-License-Identifier: Apache-2.0
// PTX text as typed values: what parse.h makes and vgpu lowers. Names are kept as written; nothing
// is executed or checked here beyond syntax.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kp::ptx {

enum class Space : std::uint8_t { kGeneric, kRegister, kParam, kGlobal, kShared, kLocal, kConst };

/// Fundamental types (.b8 ... .f64, .pred, .f16x2, .bf16x2, ...).
enum class Type : std::uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kTf32,
  kF32,
  kF64,
};
unsigned bytes_of(Type type);  // 0 for kNone, kPred
/// .f16 to .f64, packed pairs included.
bool is_floating(Type type);
std::string_view name_of(Type type);              // "f32", without the dot
std::optional<Type> type_from(std::string_view);  // without the dot

/// Where an instruction comes from, by `.loc`: index into Module::files, 0-line when unknown.
struct Location {
  int file = -1;
  int line = 0;
  int column = 0;
};

struct RegisterName {
  std::string name;      // "%r1", "%tid.x", "%p3"
  bool negated = false;  // "!%p3"
};
struct Immediate {
  std::uint64_t bits = 0;  // integers: two's complement; floats: bits of `type`
  Type type = Type::kS64;  // kF32 (0f...), kF64 (0d... or decimal), kS64, kU64
};
struct Symbol {  // label, variable or function
  std::string name;
};
struct Address {  // [base], [base+4], [symbol-8], [16]
  std::variant<RegisterName, Symbol, Immediate> base;
  std::int64_t offset = 0;
};
struct Operand;
struct Vector {  // {%f1, %f2, _}
  std::vector<Operand> parts;
};
struct Pair {  // %r1|%p1
  RegisterName first, second;
};
struct Sink {};  // _
struct Operand {
  std::variant<RegisterName, Immediate, Symbol, Address, Vector, Pair, Sink> value;
};

struct Instruction {
  std::string opcode;                  // "ld"
  std::vector<std::string> modifiers;  // {"global", "nc", "v4", "f32"}, dots removed, in order
  std::optional<RegisterName> guard;   // @%p1 / @!%p1
  std::vector<Operand> operands;       // destination first; call: see parse.h
  Location location;
  int ptx_line = 0;

  bool has(std::string_view modifier) const;
  /// The first modifier that is a type, counted from the end by `from_end` (0 = last).
  Type type(unsigned from_end = 0) const;
  std::string form() const;  // "ld.global.nc.v4.f32"
};

struct Label {
  std::string name;
  int ptx_line = 0;
};
using Statement = std::variant<Instruction, Label>;

/// A variable: parameter, shared array, global, constant, or a range of registers (`count` > 0).
struct Variable {
  std::string name;
  Space space = Space::kRegister;
  Type type = Type::kB32;
  std::uint64_t elements = 1;  // array length; 0 for `extern .shared x[]`
  std::uint64_t align = 0;     // bytes; 0: natural
  int count = 0;               // .reg .f32 %f<count>
  int vector = 1;              // .v2 / .v4
  bool is_extern = false;
  std::vector<std::byte> initial;  // initial value of .global / .const; empty: zeroes
  /// Offset of 8 bytes in `initial` that hold the addend -> symbol whose generic address is added.
  std::vector<std::pair<std::uint64_t, std::string>> relocations;
  std::uint64_t bytes() const {
    return elements * static_cast<std::uint64_t>(vector) * bytes_of(type);
  }
};

/// `.branchtargets` or the table of brx.idx: label names in order.
struct BranchTable {
  std::string name;
  std::vector<std::string> labels;
};

struct Function {
  std::string name;
  bool is_entry = false;
  std::vector<Variable> returns;     // .func only
  std::vector<Variable> parameters;  // in order
  std::vector<Variable> locals;      // registers, shared, local, param of the body (all scopes)
  std::vector<Statement> body;       // empty for a declaration
  std::vector<BranchTable> tables;
  std::optional<std::uint32_t> max_threads[3];  // .maxntid
  std::optional<std::uint32_t> min_blocks;      // .minnctapersm
  int ptx_line = 0;
};

struct Module {
  std::string version, target;
  std::vector<std::string> files;   // index = .file number; may have empty slots
  std::vector<Variable> globals;    // .global, .const, .shared at module scope
  std::vector<Function> functions;  // entries and device functions, in order
  const Function* find(std::string_view name) const;
};

}  // namespace kp::ptx
