// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "vgpu/checks.h"
#include "vgpu/lanes.h"

namespace kp::vgpu {
namespace {

/// What undefined lanes are filled with to see whether a result depends on them: as a float 0, a
/// NaN and a large number; as an integer 0, -1 and a large number.
constexpr std::uint32_t kFills[] = {0, 0xffff'ffff, 0x7e96'7699};
/// The last fill is another source's value, which decides tests for equality.
constexpr unsigned kTries = 4;

/// One operand: where it is and how wide.
struct Register {
  std::uint32_t offset = kNone;
  unsigned slots = 0;
  bool used() const { return offset != kNone && slots != 0; }
  bool is_predicate() const { return slots == 1; }
  std::size_t bytes() const { return std::size_t{slots} * kSlot; }
};

std::array<Register, 4> sources_of(const Instruction& in) {
  const Operands& op = in.op;
  return {{{op.a, in.width[2]}, {op.b, in.width[3]}, {op.c, in.width[4]}, {op.d, in.width[5]}}};
}
std::array<Register, 2> results_of(const Instruction& in) {
  return {{{in.op.dst, in.width[0]}, {in.op.dst2, in.width[1]}}};
}

void fill_lanes(std::byte* file, Register reg, std::uint32_t lanes, std::uint32_t fill) {
  if (reg.is_predicate()) return set_predicate(file, reg.offset, lanes, fill & 1 ? ~0u : 0u);
  const unsigned words = unsigned(reg.bytes()) / kLanes / 4;
  for_lanes(lanes, [&](unsigned l) {
    for (unsigned w = 0; w < words; ++w) set_word(file, reg.offset, l * words + w, fill);
  });
}

/// Gives the lanes of `reg` what a source of the same width holds, if there is one.
void fill_equal(std::byte* file, std::span<const Register> sources, Register reg,
                std::uint32_t lanes) {
  for (const Register& other : sources) {
    if (!other.used() || other.offset == reg.offset || other.slots != reg.slots) continue;
    if (reg.is_predicate())
      return set_predicate(file, reg.offset, lanes, predicate(file, other.offset));
    const std::size_t stride = reg.bytes() / kLanes;
    for_lanes(lanes, [&](unsigned l) {
      std::memcpy(file + reg.offset + l * stride, file + other.offset + l * stride, stride);
    });
    return;
  }
}

/// Lanes in which two images of a register differ.
std::uint32_t differences(const std::byte* a, const std::byte* b, Register reg) {
  if (reg.is_predicate()) return predicate(a, 0) ^ predicate(b, 0);
  const std::size_t stride = reg.bytes() / kLanes;
  std::uint32_t lanes = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    if (std::memcmp(a + l * stride, b + l * stride, stride) != 0) lanes |= bit_of(l);
  return lanes;
}

std::vector<std::byte> image_of(const std::byte* file, Register reg) {
  return {file + reg.offset, file + reg.offset + reg.bytes()};
}

/// The registers of an instruction as they were. Sources come last, for one may be a result, too.
class Saved {
 public:
  Saved(const std::byte* file, const Instruction& in) {
    for (const Register& each : results_of(in)) save(file, each);
    for (const Register& each : sources_of(in)) save(file, each);
  }
  void restore(std::byte* file) const {
    for (const auto& [offset, image] : images_)
      std::memcpy(file + offset, image.data(), image.size());
  }

 private:
  void save(const std::byte* file, Register reg) {
    if (reg.used()) images_.emplace_back(reg.offset, image_of(file, reg));
  }
  std::vector<std::pair<std::uint32_t, std::vector<std::byte>>> images_;
};

/// Gives undefined lanes of a source the value of the t-th try.
void disturb(std::byte* file, const Instruction& in, Register source, std::uint32_t lanes,
             unsigned t) {
  if (t < std::size(kFills)) return fill_lanes(file, source, lanes, kFills[t]);
  fill_equal(file, sources_of(in), source, lanes);
}

}  // namespace

std::uint32_t Checks::defined(const Warp& warp, std::uint32_t reg, unsigned slots) const {
  const std::uint32_t* at = registers_.data() + warp.number * slots_per_warp_ + reg / kSlot;
  std::uint32_t lanes = ~0u;
  for (unsigned s = 0; s < slots; ++s) lanes &= at[s];
  return lanes;
}

void Checks::define(const Warp& warp, std::uint32_t reg, unsigned slots, std::uint32_t lanes,
                    std::uint32_t bits) {
  if (reg == kNone) return;
  std::uint32_t* at = registers_.data() + warp.number * slots_per_warp_ + reg / kSlot;
  for (unsigned s = 0; s < slots; ++s) at[s] = (at[s] & ~lanes) | (bits & lanes);
}

void Checks::alu(const Warp& warp, const Instruction& in, std::uint32_t active) {
  if (active == 0) return;
  for (const Register& source : sources_of(in))
    if (source.used() && (defined(warp, source.offset, source.slots) & active) != active)
      return alu_with_undefined(warp, in, active);
  in.alu(warp.file, in.op, active);
  for (const Register& result : results_of(in))
    define(warp, result.offset, result.slots, active, ~0u);
}

void Checks::alu_with_undefined(const Warp& warp, const Instruction& in, std::uint32_t active) {
  const auto results = results_of(in);
  if (in.cls == Class::kTensor) {
    // Every element of a matrix product depends on a whole row and column.
    in.alu(warp.file, in.op, active);
    for (const Register& result : results) define(warp, result.offset, result.slots, active, 0);
    return;
  }
  const Saved saved(warp.file, in);
  std::uint32_t unknown[2] = {};
  std::vector<std::byte> first[2];
  for (unsigned t = 0; t < kTries; ++t) {
    saved.restore(warp.file);
    for (const Register& source : sources_of(in))
      if (source.used())
        disturb(warp.file, in, source, active & ~defined(warp, source.offset, source.slots), t);
    in.alu(warp.file, in.op, active);
    for (unsigned i = 0; i < 2; ++i) {
      if (!results[i].used()) continue;
      if (t == 0)
        first[i] = image_of(warp.file, results[i]);
      else
        unknown[i] |= differences(first[i].data(), warp.file + results[i].offset, results[i]);
    }
  }
  saved.restore(warp.file);
  in.alu(warp.file, in.op, active);
  for (unsigned i = 0; i < 2; ++i)
    define(warp, results[i].offset, results[i].slots, active, ~unknown[i]);
}

bool Checks::undefined(Block& block, const Warp& warp, std::uint32_t pc, std::uint32_t lanes,
                       std::string_view what) {
  return block.fail(FaultKind::kUninitialised,
                    std::string(what) + " a value that comes from memory or registers nobody wrote",
                    pc, warp, first_lane(lanes));
}

bool Checks::guard(Block& block, const Warp& warp, std::uint32_t pc, std::uint32_t mask) {
  const Instruction& in = launch_.program.code[pc];
  if (in.guard == kNone) return true;
  const std::uint32_t bad = mask & ~defined(warp, in.guard, 1);
  return bad == 0 || undefined(block, warp, pc, bad,
                               in.kind == Kind::kBranch ? "branches on" : "is executed or not by");
}

bool Checks::decides(Block& block, const Warp& warp, std::uint32_t pc, std::uint32_t reg,
                     std::uint32_t active) {
  if (reg == kNone) return true;
  const std::uint32_t bad = active & ~defined(warp, reg, 2);
  return bad == 0 || undefined(block, warp, pc, bad, "decides by");
}

bool Checks::address(const Frame& frame, const Request& request, std::uint32_t active) {
  if (request.base == kNone) return true;
  const std::uint32_t bad = active & ~defined(frame.warp, request.base, request.address32 ? 2 : 4);
  return bad == 0 || undefined(frame.block, frame.warp, frame.pc, bad,
                               request.action == Action::kRead ? "reads from an address made of"
                                                               : "writes to an address made of");
}

}  // namespace kp::vgpu
