// SPDX-License-Identifier: Apache-2.0
// Collectives over the active lanes: shfl, vote, match, redux, activemask, elect. `active` is the
// set that takes part; member masks are the executor's business. A shfl that reads a lane which
// takes no part, which PTX leaves undefined, gives the lane its own value.
#include "vgpu/alu/lanes.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

enum class Shuffle { kUp, kDown, kBfly, kIdx };

struct Pick {
  u32 lane;
  bool in_range;
};
/// The formula of the PTX manual: c holds the clamp in bits 0..4 and the segment mask in
/// bits 8..12.
template <Shuffle kMode>
Pick source_lane(u32 lane, u32 b, u32 c) {
  const u32 step = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const u32 first = lane & segment, last = (lane & segment) | (clamp & ~segment);
  if constexpr (kMode == Shuffle::kUp) {
    const auto from = static_cast<s32>(lane) - static_cast<s32>(step);
    const bool in = from >= static_cast<s32>(last);
    return {in ? static_cast<u32>(from) : lane, in};
  } else {
    const u32 from = kMode == Shuffle::kDown   ? lane + step
                     : kMode == Shuffle::kBfly ? lane ^ step
                                               : first | (step & ~segment);
    const bool in = from <= last;
    return {in ? from : lane, in};
  }
}

template <Shuffle kMode>
void shfl(std::byte* file, const Operands& op, u32 active) {
  const Source<u32> a(file, op.a, 0), b(file, op.b, 0), c(file, op.c, 0);
  u32 value[kLanes];
  u32 valid = 0;
  for (u32 lane = 0; lane < kLanes; ++lane) {
    const Pick pick = source_lane<kMode>(lane, b[lane], c[lane]);
    const bool there = (active >> pick.lane & 1) != 0;
    value[lane] = a[there ? pick.lane : lane];
    valid |= static_cast<u32>(pick.in_range) << lane;
  }
  Target<u32> result(file, op.dst, active);
  auto to = result.writer();
  for (u32 lane = 0; lane < kLanes; ++lane) to.put(lane, value[lane]);
  result.finish(to);
  Target<bool> flag(file, op.dst2, active);
  auto flags = flag.writer();
  for (u32 lane = 0; lane < kLanes; ++lane) flags.put(lane, (valid >> lane & 1) != 0);
  flag.finish(flags);
}

/// The same value to every lane of the destination.
template <class T>
void spread(std::byte* file, u32 offset, u32 active, T value) {
  Target<T> result(file, offset, active);
  auto to = result.writer();
  for (u32 lane = 0; lane < kLanes; ++lane) to.put(lane, value);
  result.finish(to);
}

u32 predicate(const std::byte* file, u32 offset) {
  u32 mask;
  __builtin_memcpy(&mask, file + offset, 4);
  return mask;
}
void vote_all(std::byte* file, const Operands& op, u32 active) {
  spread(file, op.dst, active, (predicate(file, op.a) & active) == active);
}
void vote_any(std::byte* file, const Operands& op, u32 active) {
  spread(file, op.dst, active, (predicate(file, op.a) & active) != 0);
}
void vote_uni(std::byte* file, const Operands& op, u32 active) {
  const u32 on = predicate(file, op.a) & active;
  spread(file, op.dst, active, on == 0 || on == active);
}
void vote_ballot(std::byte* file, const Operands& op, u32 active) {
  spread(file, op.dst, active, predicate(file, op.a) & active);
}
void activemask(std::byte* file, const Operands& op, u32 active) {
  spread(file, op.dst, active, active);
}
void elect(std::byte* file, const Operands& op, u32 active) {
  const u32 leader = static_cast<u32>(__builtin_ctz(active | 1U << 31));
  spread(file, op.dst, active, leader);
  Target<bool> flag(file, op.dst2, active);
  auto flags = flag.writer();
  flags.put(leader, true);
  flag.finish(flags);
}

template <class T>
u32 same_as(const Source<T>& a, T value, u32 active) {
  u32 same = 0;
  for (u32 lane = 0; lane < kLanes; ++lane) same |= static_cast<u32>(a[lane] == value) << lane;
  return same & active;
}
template <class T>
void match_any(std::byte* file, const Operands& op, u32 active) {
  const Source<T> a(file, op.a, 0);
  u32 found[kLanes];
  for (u32 lane = 0; lane < kLanes; ++lane) found[lane] = same_as(a, a[lane], active);
  Target<u32> result(file, op.dst, active);
  auto to = result.writer();
  for (u32 lane = 0; lane < kLanes; ++lane) to.put(lane, found[lane]);
  result.finish(to);
}
template <class T>
void match_all(std::byte* file, const Operands& op, u32 active) {
  if (active == 0) return;
  const Source<T> a(file, op.a, 0);
  const bool all = same_as(a, a[static_cast<u32>(__builtin_ctz(active))], active) == active;
  spread(file, op.dst, active, all ? active : 0U);
  spread(file, op.dst2, active, all);
}

template <class T, T (*F)(T, T)>
void redux(std::byte* file, const Operands& op, u32 active) {
  if (active == 0) return;
  const Source<T> a(file, op.a, 0);
  const auto first = static_cast<u32>(__builtin_ctz(active));
  T total = a[first];
  for (u32 lane = first + 1; lane < kLanes; ++lane)
    if ((active >> lane & 1) != 0) total = F(total, a[lane]);
  spread(file, op.dst, active, total);
}
u32 add(u32 a, u32 b) { return a + b; }
u32 and_(u32 a, u32 b) { return a & b; }
u32 or_(u32 a, u32 b) { return a | b; }
u32 xor_(u32 a, u32 b) { return a ^ b; }
template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}

constexpr Class kTalk = Class::kCommunication;
#define KP_SHFL(name, mode)                                                        \
  Entry{"shfl.sync." name ".b32", &shfl<mode>, kTalk, {4, 1, 4, 4, 4, 4}}, Entry { \
    "shfl." name ".b32", &shfl<mode>, kTalk, { 4, 1, 4, 4, 4, 0 }                  \
  }
#define KP_VOTE(name, f, bytes)                                        \
  Entry{"vote.sync." name, &f, kTalk, {bytes, 0, 1, 0, 0, 4}}, Entry { \
    "vote." name, &f, kTalk, { bytes, 0, 1, 0, 0, 0 }                  \
  }
#define KP_REDUX(name, type, f)                                      \
  Entry {                                                            \
    "redux.sync." name, &redux<type, f>, kTalk, { 4, 0, 4, 0, 0, 4 } \
  }

constexpr Entry kForms[] = {
    KP_SHFL("up", Shuffle::kUp),
    KP_SHFL("down", Shuffle::kDown),
    KP_SHFL("bfly", Shuffle::kBfly),
    KP_SHFL("idx", Shuffle::kIdx),
    KP_VOTE("all.pred", vote_all, 1),
    KP_VOTE("any.pred", vote_any, 1),
    KP_VOTE("uni.pred", vote_uni, 1),
    KP_VOTE("ballot.b32", vote_ballot, 4),
    {"activemask.b32", &activemask, kTalk, {4, 0, 0, 0, 0, 0}},
    {"elect.sync", &elect, kTalk, {4, 1, 0, 0, 0, 4}},
    {"match.any.sync.b32", &match_any<u32>, kTalk, {4, 0, 4, 0, 0, 4}},
    {"match.any.sync.b64", &match_any<u64>, kTalk, {4, 0, 8, 0, 0, 4}},
    {"match.all.sync.b32", &match_all<u32>, kTalk, {4, 1, 4, 0, 0, 4}},
    {"match.all.sync.b64", &match_all<u64>, kTalk, {4, 1, 8, 0, 0, 4}},
    KP_REDUX("add.u32", u32, add),
    KP_REDUX("add.s32", u32, add),
    KP_REDUX("min.u32", u32, min<u32>),
    KP_REDUX("min.s32", s32, min<s32>),
    KP_REDUX("max.u32", u32, max<u32>),
    KP_REDUX("max.s32", s32, max<s32>),
    KP_REDUX("and.b32", u32, and_),
    KP_REDUX("or.b32", u32, or_),
    KP_REDUX("xor.b32", u32, xor_),
};

}  // namespace

KP_ALU_FORMS(collective_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL
