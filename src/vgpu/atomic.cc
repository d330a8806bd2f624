// SPDX-License-Identifier: Apache-2.0
// atom and red. On the device atomics of one instruction are carried out in no defined order; here
// the lanes go from the lowest to the highest.
#include <bit>
#include <cmath>
#include <limits>

#include "vgpu/access.h"
#include "vgpu/checks.h"
#include "vgpu/moving.h"

namespace kp::vgpu {
namespace {

constexpr std::uint32_t kNan32 = 0x7fff'ffff;  // what the device returns for any NaN

/// What an atomic makes of the old value; bits of the access's width in the low end of 64.
struct Update {
  AtomicOp op = AtomicOp::kNotAtomic;
  ptx::Type type = ptx::Type::kB32;
  bool flush = false;  // f32 additions to global memory flush subnormals
};

float flushed(float value, bool flush) {
  return flush && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

std::uint64_t add_f32(std::uint64_t old, std::uint64_t operand, bool flush) {
  const auto a = std::bit_cast<float>(std::uint32_t(old));
  const auto b = std::bit_cast<float>(std::uint32_t(operand));
  const float sum = flushed(flushed(a, flush) + flushed(b, flush), flush);
  return std::isnan(sum) ? kNan32 : std::bit_cast<std::uint32_t>(sum);
}

/// Half-precision types widen exactly, and rounding twice (to 24 bits, then to 11 or 8) is the same
/// as rounding once, since 24 >= 2 * 11 + 2.
float widen(std::uint16_t bits, bool brain) {
  if (brain) return std::bit_cast<float>(std::uint32_t(bits) << 16);
  return static_cast<float>(std::bit_cast<_Float16>(bits));
}
std::uint16_t narrow(float value, bool brain) {
  if (std::isnan(value)) return 0x7fff;
  if (!brain) return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
float choose(AtomicOp op, float a, float b) {
  if (op == AtomicOp::kMin) return std::fmin(a, b);
  return op == AtomicOp::kMax ? std::fmax(a, b) : a + b;
}

std::uint64_t halves(const Update& update, std::uint64_t old, std::uint64_t operand) {
  using enum ptx::Type;
  const bool brain = update.type == kBf16 || update.type == kBf16x2;
  const bool pair = update.type == kF16x2 || update.type == kBf16x2;
  const auto one = [&](unsigned shift) {
    const float a = widen(std::uint16_t(old >> shift), brain);
    const float b = widen(std::uint16_t(operand >> shift), brain);
    return std::uint64_t(narrow(choose(update.op, a, b), brain)) << shift;
  };
  return one(0) | (pair ? one(16) : 0);
}

/// Minimum and maximum of the integer type T.
template <class T>
std::uint64_t extreme(AtomicOp op, std::uint64_t old, std::uint64_t operand) {
  const T a = static_cast<T>(old), b = static_cast<T>(operand);
  return static_cast<std::make_unsigned_t<T>>((op == AtomicOp::kMin) == (b < a) ? b : a);
}

std::uint64_t extreme(const Update& update, std::uint64_t old, std::uint64_t operand) {
  switch (update.type) {
    case ptx::Type::kS32:
      return extreme<std::int32_t>(update.op, old, operand);
    case ptx::Type::kS64:
      return extreme<std::int64_t>(update.op, old, operand);
    case ptx::Type::kU64:
      return extreme<std::uint64_t>(update.op, old, operand);
    default:
      return extreme<std::uint32_t>(update.op, old, operand);
  }
}

std::uint64_t combine(const Update& update, std::uint64_t old, std::uint64_t operand,
                      std::uint64_t compare) {
  using enum ptx::Type;
  const bool half = update.type == kF16 || update.type == kF16x2 || update.type == kBf16 ||
                    update.type == kBf16x2;
  switch (update.op) {
    case AtomicOp::kAdd:
      if (update.type == kF32) return add_f32(old, operand, update.flush);
      if (update.type == kF64)
        return std::bit_cast<std::uint64_t>(std::bit_cast<double>(old) +
                                            std::bit_cast<double>(operand));
      return half ? halves(update, old, operand) : old + operand;
    case AtomicOp::kMin:
    case AtomicOp::kMax:
      return half ? halves(update, old, operand) : extreme(update, old, operand);
    case AtomicOp::kInc:
      return old >= operand ? 0 : old + 1;
    case AtomicOp::kDec:
      return old == 0 || old > operand ? operand : old - 1;
    case AtomicOp::kAnd:
      return old & operand;
    case AtomicOp::kOr:
      return old | operand;
    case AtomicOp::kXor:
      return old ^ operand;
    case AtomicOp::kExchange:
      return operand;
    case AtomicOp::kCompareSwap:
      return old == compare ? operand : old;
    case AtomicOp::kNotAtomic:
      break;
  }
  return old;
}

template <class T>
std::uint64_t update_at(std::byte* at, const Update& update, bool concurrent, std::uint64_t operand,
                        std::uint64_t compare) {
  using Alias = typename MayAlias<T>::type;
  auto* const cell = reinterpret_cast<Alias*>(at);
  T old = __atomic_load_n(cell, __ATOMIC_RELAXED);
  if (!concurrent) {
    __atomic_store_n(cell, static_cast<T>(combine(update, old, operand, compare)),
                     __ATOMIC_RELAXED);
    return old;
  }
  for (;;) {
    T wanted = static_cast<T>(combine(update, old, operand, compare));
    if (__atomic_compare_exchange(cell, &old, &wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return old;
  }
}

std::uint64_t update_lane(std::byte* at, const Update& update, bool concurrent, unsigned bytes,
                          const std::uint64_t (&sources)[2]) {
  switch (bytes) {
    case 2:
      return update_at<std::uint16_t>(at, update, concurrent, sources[0], sources[1]);
    case 4:
      return update_at<std::uint32_t>(at, update, concurrent, sources[0], sources[1]);
    default:
      return update_at<std::uint64_t>(at, update, concurrent, sources[0], sources[1]);
  }
}

/// The value of a source register, cut to the width of the access; 0 when there is none.
std::uint64_t source(const Frame& frame, std::uint32_t reg, unsigned bytes, unsigned lane) {
  if (reg == kNone) return 0;
  if (bytes == 8) return wide(frame.warp.file, reg, lane);
  const std::uint32_t value = word(frame.warp.file, reg, lane);
  return bytes == 2 ? value & 0xffff : value;
}

/// 128 bits can only be swapped. Such programs run on one host thread.
void swap_lanes(const Frame& frame, const Lanes& lanes) {
  constexpr unsigned kBytes = 16;
  std::byte* const file = frame.warp.file;
  const Operands& op = frame.in.op;
  for_lanes(lanes.active, [&](unsigned l) {
    std::byte old[kBytes];
    std::memcpy(old, lanes.host[l], kBytes);
    if (op.c == kNone || std::memcmp(old, file + op.c + l * kBytes, kBytes) == 0)
      std::memcpy(lanes.host[l], file + op.b + l * kBytes, kBytes);
    if (op.dst != kNone) std::memcpy(file + op.dst + l * kBytes, old, kBytes);
  });
}

void update_lanes(const Frame& frame, const Access& access, const Lanes& lanes) {
  if (access.bytes > 8) return swap_lanes(frame, lanes);
  const bool is_global = lanes.window == Window::kGlobal;
  const Update update{access.atomic, access.type, is_global};
  const bool concurrent = is_global && frame.block.launch.concurrent;
  for_lanes(lanes.active, [&](unsigned l) {
    for (unsigned e = 0; e < access.elements; ++e) {
      const std::uint32_t operand = access.elements > 1 ? access.registers[e] : frame.in.op.b;
      const std::uint64_t sources[2] = {source(frame, operand, access.bytes, l),
                                        source(frame, frame.in.op.c, access.bytes, l)};
      const std::uint64_t old =
          update_lane(lanes.host[l] + e * access.bytes, update, concurrent, access.bytes, sources);
      const std::uint32_t to = access.elements > 1 ? access.results[e] : frame.in.op.dst;
      if (to != kNone) set_lane(frame.warp.file, to, access.bytes == 8 ? 8 : 4, l, old);
    }
  });
}

/// Lane by lane, since each lane sees what the one before it did.
bool update_checked(const Frame& frame, const Access& access, Lanes& lanes) {
  const std::uint32_t all = lanes.active;
  for (std::uint32_t rest = all; rest != 0; rest &= rest - 1) {
    lanes.active = rest & (~rest + 1);
    if (!frame.block.checks->atomic(frame, access, lanes)) return false;
    update_lanes(frame, access, lanes);
  }
  lanes.active = all;
  return true;
}

}  // namespace

template <Mode M>
bool execute_atomic(const Frame& frame, const Access& access, std::uint32_t active) {
  const Request request = request_of(frame.in, access, Action::kAtomic);
  Lanes lanes;
  for (; active != 0; active &= ~lanes.active) {
    if constexpr (M == Mode::kCheck)
      if (!frame.block.checks->address(frame, request, active)) return false;
    if (!resolve(frame, request, active, lanes)) return false;
    if constexpr (M == Mode::kCount) count(frame, lanes, request.bytes);
    if constexpr (M == Mode::kCheck) {
      if (!update_checked(frame, access, lanes)) return false;
    } else {
      update_lanes(frame, access, lanes);
    }
  }
  return true;
}

template bool execute_atomic<Mode::kValues>(const Frame&, const Access&, std::uint32_t);
template bool execute_atomic<Mode::kCheck>(const Frame&, const Access&, std::uint32_t);
template bool execute_atomic<Mode::kCount>(const Frame&, const Access&, std::uint32_t);

}  // namespace kp::vgpu
