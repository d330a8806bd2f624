// SPDX-License-Identifier: Apache-2.0
// A kernel ready to execute: lower.h makes it from a PTX module, machine.h runs it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ptx/module.h"
#include "vgpu/instruction.h"

namespace kp::vgpu {

enum class AtomicOp : std::uint8_t {
  kNotAtomic,
  kAdd,
  kMin,
  kMax,
  kInc,
  kDec,
  kAnd,
  kOr,
  kXor,
  kExchange,
  kCompareSwap,
};

/// What a memory instruction does; the address is register op.a (64-bit lanes, or 32-bit when
/// `address32`) plus `offset`; op.a is kNone for a parameter at a fixed place: `offset` alone. In
/// the spaces kShared, kLocal and kParam addresses count from the start of that space. A register
/// of an element has lanes of 8 (16) bytes when `bytes` is 8 (16), and of 4 otherwise; loads of
/// narrower elements fill the 32 bits by the sign of `type`.
struct Access {
  ptx::Space space = ptx::Space::kGeneric;
  ptx::Type type = ptx::Type::kB32;  // of one element
  std::uint8_t elements = 1;         // 1, 2, 4, 8 (vector)
  std::uint8_t bytes = 4;            // of one element
  bool address32 = false;
  bool no_coherent = false;  // ld.global.nc / __ldg
  bool is_volatile = false, acquire = false, release = false;
  bool bypass_l1 = false;  // .cg, .cv, volatile
  bool returns = false;    // atom (true) against red (false)
  AtomicOp atomic = AtomicOp::kNotAtomic;
  std::int64_t offset = 0;
  std::uint32_t registers[8] = {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone};
  std::uint32_t results[8] = {kNone, kNone, kNone, kNone,
                              kNone, kNone, kNone, kNone};  // vector atom
  /// Bytes a lane of the machine instruction that this access is part of, when the assembler joins
  /// neighbours: the first of them has 8 or 16, the others 0. kAlone: it stays as it is.
  static constexpr std::uint8_t kAlone = 0xff;
  std::uint8_t machine_bytes = kAlone;
  /// An integer sum of all threads at one place: the assembler adds up the lanes of a warp first.
  bool aggregated = false;
  std::uint32_t fragment = kNone;  // wmma: index into Program::fragments
};

/// Which matrix element a lane holds where, for wmma.load and wmma.store: element e of lane l
/// (register e / per_register, low half first) stands at row[l][e], column[l][e].
struct Fragment {
  std::uint8_t elements = 0, per_register = 1;  // of one lane; at most 16
  bool column_major = false;                    // the matrix in memory
  std::uint8_t row[kLanes][16] = {}, column[kLanes][16] = {};
};

enum class SpecialRegister : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kNwarpId,
  kSmId,
  kNsmId,
  kGridId,
  kLaneMaskEq,
  kLaneMaskLt,
  kLaneMaskLe,
  kLaneMaskGt,
  kLaneMaskGe,
  kClock,
  kClock64,
  kGlobalTimer,
  kDynamicSharedSize,
  kTotalSharedSize,
  kEnvReg,
  kClusterCtaRank,
  kOther,
};
struct SpecialUse {
  SpecialRegister which = SpecialRegister::kOther;
  std::uint32_t offset = 0;  // register to fill
  std::uint8_t lane_bytes = 4;
  std::uint8_t index = 0;  // kEnvReg: its number
};
struct Constant {
  std::uint32_t offset = 0;
  std::uint8_t lane_bytes = 4;  // 1 = predicate (all lanes)
  std::uint64_t bits = 0;       // the same in every lane
};

struct ParameterSlot {
  std::string name;
  std::uint32_t offset = 0, bytes = 0;  // in the kernel's parameter block
  ptx::Type type = ptx::Type::kB64;
};

/// A module variable and where lowering expects it; machine.h gives it an address.
struct StaticVariable {
  std::string name;
  ptx::Space space = ptx::Space::kGlobal;  // kGlobal or kConst
  std::uint64_t bytes = 0, align = 1;
  std::vector<std::byte> initial;
  std::vector<std::uint32_t> address_registers;  // 64-bit registers to fill with its address
  /// The address of statics[second] is added to the 8 bytes of `initial` at offset `first`.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> relocations;
};

/// A function that calls itself or is called through a pointer.
struct CalledFunction {
  std::uint64_t address = 0;  // what a pointer to it holds
  std::uint32_t pc = 0;
  std::uint32_t frame = 0;  // bytes of stack that it uses itself
};

struct SourceLine {
  std::string file;
  int line = 0;
};

struct Program {
  std::string kernel;
  /// Laid out so that a block precedes its immediate post-dominator and loops are contiguous:
  /// running the lowest pc first reconverges at post-dominators.
  std::vector<Instruction> code;
  std::vector<std::uint8_t> leader;  // code[i] starts a basic block: where splits may merge
  std::vector<Access> accesses;
  std::vector<Fragment> fragments;
  std::vector<std::vector<std::uint32_t>> tables;  // kBranchTable targets
  std::vector<SpecialUse> specials;
  std::vector<Constant> constants;
  std::vector<ParameterSlot> parameters;
  std::vector<StaticVariable> statics;
  std::vector<CalledFunction> functions;
  std::vector<SourceLine> lines;  // [0] is the unknown line
  std::uint32_t parameter_bytes = 0;
  std::uint32_t file_bytes = 0;  // register file of a warp
  /// Part of static_shared that the system has set up before a block starts.
  std::uint64_t reserved_shared = 0, reserved_shared_bytes = 0;
  std::uint64_t static_shared = 0;  // bytes; dynamic shared memory follows it, 16-byte aligned
  std::uint64_t local_bytes = 0;    // per thread, the stack at its end included
  /// Registers of a thread as the compiler says; the loader of a module sets it.
  unsigned registers = 32;
  /// Bytes of registers that a thread stores and loads again for want of room, likewise; each is
  /// expected to happen once.
  std::uint64_t spill_stores = 0, spill_loads = 0;
  /// Results may depend on the order of blocks (atomics that return, float atomics, volatile or
  /// acquire loads): run on one deterministic interleaved schedule.
  bool order_sensitive = false;
  bool grid_sync = false;  // cooperative groups' grid barrier: all blocks must be live
};

/// Lowers entry `kernel` of `module` with everything it calls. An instruction form that the virtual
/// GPU cannot execute is kUnsupported, naming the form, with the CUDA source line in the spot (or
/// the PTX line when there is no -lineinfo).
Result<Program> lower(const ptx::Module& module, std::string_view kernel);

/// The program as text, one instruction a line; for tests and for people.
std::string print(const Program& program);

}  // namespace kp::vgpu
