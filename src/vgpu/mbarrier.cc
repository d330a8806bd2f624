// SPDX-License-Identifier: Apache-2.0
// mbarrier objects: a phase that ends when enough threads have arrived and all announced bytes have
// come. The layout of the 64-bit object is ours; PTX calls it opaque.
#include "vgpu/access.h"
#include "vgpu/checks.h"
#include "vgpu/moving.h"

namespace kp::vgpu {
namespace {

constexpr std::uint32_t kMost = (1u << 20) - 1;  // PTX manual, mbarrier

/// Fields of 20 bits each; the parity of the phase is the low bit of its number.
struct Phase {
  std::uint32_t expected = 0;  // arrivals in a phase
  std::uint32_t pending = 0;   // arrivals still missing in this one
  std::uint32_t bytes = 0;     // announced and not yet come
  std::uint32_t number = 0;    // 0 to 15

  void arrive(std::uint32_t count) {
    pending = (pending - count) & kMost;
    if (pending != 0 || bytes != 0) return;
    pending = expected;
    number = (number + 1) % 16;
  }
  std::uint64_t packed() const {
    return std::uint64_t{expected} | std::uint64_t{pending} << 20 | std::uint64_t{bytes} << 40 |
           std::uint64_t{number} << 60;
  }
  static Phase unpacked(std::uint64_t bits) {
    const auto field = [&](unsigned shift) { return std::uint32_t(bits >> shift) & kMost; };
    return {field(0), field(20), field(40), std::uint32_t(bits >> 60)};
  }
};

/// Carries out the operation; returns what goes to the destination.
std::uint64_t operate(Phase& phase, MbarrierForm form, std::uint32_t count, std::uint64_t token) {
  const std::uint64_t before = phase.packed();
  count &= kMost;
  switch (form) {
    case MbarrierForm::kInit:
      phase = {};
      phase.expected = phase.pending = count;
      return 0;
    case MbarrierForm::kInvalidate:
      phase = {};
      return 0;
    case MbarrierForm::kExpect:
      phase.bytes = (phase.bytes + count) & kMost;
      return 0;
    case MbarrierForm::kArriveExpect:
      phase.bytes = (phase.bytes + count) & kMost;
      phase.arrive(1);
      return before;
    case MbarrierForm::kArriveDrop:
      phase.expected = (phase.expected - count) & kMost;
      phase.arrive(count);
      return before;
    case MbarrierForm::kArrive:
      phase.arrive(count);
      return before;
    case MbarrierForm::kAsyncArrive:
      phase.arrive(1);
      return before;
    case MbarrierForm::kTestState:
      return phase.number != Phase::unpacked(token).number;
    case MbarrierForm::kTestParity:
      return (phase.number & 1) != (token & 1);
  }
  return 0;
}

bool is_test(MbarrierForm form) {
  return form == MbarrierForm::kTestState || form == MbarrierForm::kTestParity;
}

void operate_lane(const Frame& frame, std::byte* object, unsigned lane) {
  const Operands& op = frame.in.op;
  const auto form = MbarrierForm(op.imm);
  std::byte* const file = frame.warp.file;
  const std::uint32_t count = op.b == kNone ? 1 : word(file, op.b, lane);
  std::uint64_t token = 0;
  if (op.c != kNone)
    token = form == MbarrierForm::kTestState ? wide(file, op.c, lane) : word(file, op.c, lane);
  Phase phase = Phase::unpacked(load_relaxed<std::uint64_t>(object));
  const std::uint64_t result = operate(phase, form, count, token);
  store_relaxed(object, phase.packed());
  if (op.dst != kNone) set_lane(file, op.dst, is_test(form) ? 1 : 8, lane, result);
}

}  // namespace

template <Mode M>
bool execute_mbarrier(const Frame& frame, const Access& access, std::uint32_t active) {
  const Request request{.space = access.space,
                        .base = frame.in.op.a,
                        .address32 = access.address32,
                        .offset = access.offset,
                        .bytes = 8,
                        .action = Action::kAtomic};
  if constexpr (M == Mode::kCheck)
    if (!frame.block.checks->address(frame, request, active)) return false;
  Lanes lanes;
  for (; active != 0; active &= ~lanes.active) {
    if (!resolve(frame, request, active, lanes)) return false;
    if constexpr (M == Mode::kCount) count(frame, lanes, 8);
    if constexpr (M == Mode::kCheck)
      if (!frame.block.checks->synchronise(frame, lanes)) return false;
    for_lanes(lanes.active, [&](unsigned l) { operate_lane(frame, lanes.host[l], l); });
  }
  return true;
}

template bool execute_mbarrier<Mode::kValues>(const Frame&, const Access&, std::uint32_t);
template bool execute_mbarrier<Mode::kCheck>(const Frame&, const Access&, std::uint32_t);
template bool execute_mbarrier<Mode::kCount>(const Frame&, const Access&, std::uint32_t);

}  // namespace kp::vgpu
