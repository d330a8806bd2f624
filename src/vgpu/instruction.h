// SPDX-License-Identifier: Apache-2.0
// The machine code of the virtual GPU: what lowering makes of PTX and the executor runs.
//
// A warp's registers live in one byte array, the register file. A 32-bit register (and every
// narrower one, in its low bits) is 32 words, one a lane, 128 bytes; a 64-bit register is 32 double
// words, 256 bytes; a 128-bit one 512 bytes; a predicate is one 32-bit word, bit l for lane l, in a
// slot of its own of 64 bytes. Offsets are multiples of 64. Constants and special registers are
// ordinary registers, filled before the first instruction, so that every operand is an offset.
#pragma once
#include <cstddef>
#include <cstdint>

namespace kp::vgpu {

inline constexpr unsigned kLanes = 32;
inline constexpr std::uint32_t kSlot = 64;           // bytes of register file per shadow entry
inline constexpr std::uint32_t kNone = 0xffff'ffff;  // "no register"

/// Offsets into the register file. Unused ones are kNone. A matrix fragment (mma, the vector
/// operands of anything but mov) is its registers side by side, from the first one on.
struct Operands {
  std::uint32_t dst = kNone, dst2 = kNone;  // dst2: the second result (setp p|q, shfl d|p, add.cc)
  std::uint32_t a = kNone, b = kNone, c = kNone, d = kNone;
  std::uint32_t imm = 0;  // small operation-specific constant (lut, byte selector, ...)
};

/// Computes one instruction for the lanes in `active` and leaves all other lanes of the destination
/// unchanged. Must not depend on inactive lanes.
using Alu = void (*)(std::byte* file, const Operands& operands, std::uint32_t active);

enum class Kind : std::uint8_t {
  kAlu,         // Instruction::alu does it all; warp-wide collectives of active lanes included
  kCollective,  // .sync form with a member mask in operand d: executes when all members arrived
  kBranch,
  kBranchTable,
  kCall,
  kReturn,
  kExit,
  kLoad,
  kStore,
  kAtomic,
  kCopyAsync,
  kMatrixLoad,
  kMatrixStore,
  kPrefetch,
  kBarrier,
  kFence,
  kAsyncWait,
  kMbarrier,
  kSleep,
  kTrap,
  kNop,
  kGridConstant,
  kClock,
};

// Where the kinds that the executor runs keep their operands. `extra` of every memory kind is an
// index into Program::accesses; Access says which registers hold the elements. An address is op.a +
// Access::offset; with op.a kNone the offset alone (always so for parameters). Shared and local
// addresses count from 0, generic ones lie in the windows of memory.h. width[0] of kLoad and kStore
// is the width of each of Access::registers (0: the natural one), since ld.u8 may fill and st.u8
// may take a wider register.
//   kCollective   op.d: member mask (32-bit). `alu` runs over the arrived lanes; null for
//   bar.warp.sync. kBranch       extra: target pc; taken by the lanes that the guard leaves.
//   kBranchTable  op.a: index (32-bit); extra: index into Program::tables.
//   kCall         extra: index into Program::functions, or kNone: op.a holds the function's address
//   (32-bit);
//                 op.b: stack pointer (32-bit), moved by op.imm, the bytes of the caller's frame.
//   kReturn       goes behind the call and gives the caller its frame back.
//   kLoad         Access::registers: destinations. kStore: sources.
//   kAtomic       op.dst: old value (kNone for red); op.b: operand, for cas the new value; op.c:
//   what cas
//                 compares with. Vector forms: op.dst unused, Access::registers are the operands.
//   kCopyAsync    op.a: shared address, op.imm: offset added to it; op.b: global address,
//                 Access::offset: added to that; Access::elements * bytes: size of the copy;
//                 op.c: source size (32-bit; the rest is zero-filled) or kNone.
//   kMatrixLoad, kMatrixStore   ldmatrix, stmatrix: op.a: row addresses, Access::elements: 8x8
//   matrices,
//                 op.imm: 1 = transposed. wmma: Access::fragment is set, op.a: address (the same in
//                 all lanes), op.b: stride in elements (32-bit).
//   kPrefetch     nothing happens.
//   kGridConstant op.dst: generic address (64-bit) of parameter byte op.imm (cvta.param).
//   kBarrier      op.imm: BarrierForm; op.a: barrier number, op.b: thread count (32-bit; kNone: 0,
//   all);
//                 op.c: predicate of a reduction; op.dst: its result (predicate, or 32-bit for
//                 popc).
//   kFence        op.imm: 0 block, 1 GPU, 2 system; orders nothing more when 3 (async proxy).
//   kAsyncWait    op.imm: AsyncForm, and above its 8 bits how many groups may stay open. Copies are
//                 complete at once; check mode keeps their bytes undefined until they are waited
//                 for.
//   kMbarrier     op.imm: MbarrierForm; op.a: shared or generic address (+ Access::offset through
//   extra);
//                 op.b: count or transaction bytes (32-bit; kNone: 1), op.c: state (64-bit) or
//                 phase parity (32-bit); op.dst: state (64-bit; kNone for _) or predicate.
//   kClock        op.dst: a time that never runs back (32- or 64-bit, by its width): how many
//                 instructions the block has executed, and how often it asked.
//   kSleep        yields. kTrap ends the launch with a fault.
enum class BarrierForm : std::uint32_t { kSync, kArrive, kPopc, kAnd, kOr };
enum class AsyncForm : std::uint32_t { kCommit, kWaitGroup, kWaitAll };
enum class MbarrierForm : std::uint32_t {
  kInit,
  kInvalidate,
  kArrive,
  kArriveDrop,
  kExpect,
  kArriveExpect,
  kTestState,
  kTestParity,
  kAsyncArrive,
};

/// How an instruction is counted; the families of Nsight Compute's thread-instruction metrics.
enum class Class : std::uint8_t {
  kFadd,
  kFmul,
  kFfma,
  kFp32Other,
  kDadd,
  kDmul,
  kDfma,
  kFp64Other,
  kHadd,
  kHmul,
  kHfma,
  kFp16Other,
  kInteger,
  kBit,
  kConversion,
  kTranscendental,
  kMove,
  kPredicate,
  kControl,
  kMemory,
  kCommunication,
  kTensor,
  kMisc,
};

/// Which pipe of the real machine does the work, where the class does not say it.
enum class Pipe : std::uint8_t {
  kByClass,
  kMultiply,  // integer products: one half of the multiply-add pipe
  kEither,    // integer sums and shifts that the assembler puts where there is room
  kSpecial,   // bit counts: the unit of the special functions
};

struct Instruction {
  Kind kind = Kind::kNop;
  Class cls = Class::kMisc;
  bool guard_negated = false;
  bool uniform = false;         // bra.uni
  std::uint32_t guard = kNone;  // predicate slot
  Operands op;
  Alu alu = nullptr;
  std::uint32_t extra = 0;  // kBranch: target pc; memory kinds: index into Program::accesses; ...
  std::uint32_t sass = 1;   // machine instructions that this one expands to (time model)
  std::uint32_t line = 0;   // index into Program::lines
  std::uint32_t ptx_line = 0;
  Pipe pipe = Pipe::kByClass;
  /// A branch that became a predicate: on the real machine every warp that came to that branch
  /// issues this instruction, too.
  std::uint32_t issues_like = kNone;
  bool unrolled = false;       // the branch of a loop of which the assembler joins four turns
  std::uint8_t width[6] = {};  // slots (64 B) of dst, dst2, a, b, c, d; 0 = none; for shadows
};

}  // namespace kp::vgpu
