// SPDX-License-Identifier: Apache-2.0
// What `kernelpro-gpu replay` runs: the steps of a candidate over arrays of their own, in a process
// that a tool of the toolkit watches (sanitizer.h, nsight.h).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "device/device.h"

namespace kp::device::cuda {

/// An array as the candidate finds it, with exactly the size that the plan gives it. Contents that
/// are shorter are repeated; without contents nobody wrote it.
struct ReplayedArray {
  std::uint64_t address = 0, bytes = 0;
  std::optional<std::vector<std::byte>> contents;
};
struct Replay {
  int gpu = 0;
  std::string_view cubin;
  std::span<const BoundStep> steps;
  std::vector<ReplayedArray> arrays;

  std::uint64_t array_bytes() const;
};

/// In CBOR, as worker/replay.h reads it.
Result<void> write_replay(const Path& file, const Replay& replay);

/// Whether the steps name the array, in parameters, tensor maps or as what is zeroed.
bool is_named(std::span<const BoundStep> steps, std::uint64_t address, std::uint64_t bytes);

}  // namespace kp::device::cuda
