// SPDX-License-Identifier: Apache-2.0
// Which memory an instruction went to. A generic access is sorted by what it touched. Used where
// counts become metrics, lines and time.
#pragma once
#include <optional>

#include "vgpu/counters.h"

namespace kp::vgpu {

/// The counts of a memory instruction, or null for any other.
const AccessCount* access_count(const Program& program, const GridCounters& counters,
                                std::size_t pc);

enum class Direction { kLoad, kStore, kAtomic };
/// Absent for what moves nothing. An asynchronous copy is a load (and its shared half a store).
std::optional<Direction> direction_of(const Instruction& instruction);

bool went_global(const Program& program, const Instruction& instruction, const AccessCount& count);
bool went_local(const Program& program, const Instruction& instruction, const AccessCount& count);
bool went_shared(const AccessCount& count);

}  // namespace kp::vgpu
