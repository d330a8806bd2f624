// SPDX-License-Identifier: Apache-2.0
// Moves elements between registers and host memory. Used by the files behind access.h.
#pragma once
#include <cstring>

#include "vgpu/access.h"
#include "vgpu/lanes.h"

namespace kp::vgpu {

template <class T>
struct MayAlias {
  typedef T __attribute__((may_alias)) type;
};

/// Aligned host memory, moved whole: a race between blocks gives an old or a new value.
template <class T>
inline T load_relaxed(const std::byte* at) {
  using Alias = typename MayAlias<T>::type;
  return __atomic_load_n(reinterpret_cast<const Alias*>(at), __ATOMIC_RELAXED);
}
template <class T>
inline void store_relaxed(std::byte* at, T value) {
  using Alias = typename MayAlias<T>::type;
  __atomic_store_n(reinterpret_cast<Alias*>(at), value, __ATOMIC_RELAXED);
}

/// Bytes between the lanes of a register that is `slots` wide (0: natural for an element of
/// `bytes`).
inline unsigned lane_stride(unsigned slots, unsigned bytes) {
  if (slots == 0) return bytes <= 4 ? 4 : bytes;
  return slots * kSlot / kLanes;
}

/// Whether all lanes are active and touch one contiguous run of elements of `bytes`.
inline bool contiguous(const Lanes& lanes, unsigned bytes) {
  if (lanes.active != ~0u) return false;
  bool all = true;
  for (unsigned l = 0; l < kLanes; ++l) all &= lanes.host[l] == lanes.host[0] + l * bytes;
  return all;
}

/// reg[l] = extended element `at` bytes behind host[l]. T: element as stored (signed:
/// sign-extends); R: the register's lane.
template <class T, class R>
inline void load_lanes(std::byte* reg, const Lanes& lanes, unsigned at) {
  using Unsigned = std::make_unsigned_t<T>;
  for_lanes(lanes.active, [&](unsigned l) {
    const auto value = static_cast<R>(static_cast<T>(load_relaxed<Unsigned>(lanes.host[l] + at)));
    std::memcpy(reg + l * sizeof(R), &value, sizeof value);
  });
}

/// Copies the low bytes of a register's lanes, `stride` apart, behind host[l].
template <class T>
inline void store_lanes(const std::byte* reg, unsigned stride, const Lanes& lanes, unsigned at) {
  for_lanes(lanes.active, [&](unsigned l) {
    T value;
    std::memcpy(&value, reg + l * stride, sizeof value);
    store_relaxed<T>(lanes.host[l] + at, value);
  });
}

/// One element of an access: its type and where it lies behind each lane's address.
struct Element {
  ptx::Type type = ptx::Type::kB32;
  unsigned bytes = 4, at = 0;
};
/// Loads an element of any width into a register of `stride` bytes a lane, or stores it.
void load_element(std::byte* reg, unsigned stride, const Lanes& lanes, Element element);
void store_element(const std::byte* reg, unsigned stride, const Lanes& lanes, Element element);

}  // namespace kp::vgpu
