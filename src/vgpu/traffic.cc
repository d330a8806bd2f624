// SPDX-License-Identifier: Apache-2.0
#include "vgpu/traffic.h"

namespace kp::vgpu {

const AccessCount* access_count(const Program& program, const GridCounters& counters,
                                std::size_t pc) {
  const Instruction& instruction = program.code[pc];
  if (!direction_of(instruction) || instruction.extra >= counters.accesses().size()) return nullptr;
  return &counters.accesses()[instruction.extra];
}

std::optional<Direction> direction_of(const Instruction& instruction) {
  switch (instruction.kind) {
    case Kind::kLoad:
    case Kind::kCopyAsync:
    case Kind::kMatrixLoad:
      return Direction::kLoad;
    case Kind::kStore:
    case Kind::kMatrixStore:
      return Direction::kStore;
    case Kind::kAtomic:
      return Direction::kAtomic;
    default:
      return std::nullopt;
  }
}

bool went_local(const Program& program, const Instruction& instruction, const AccessCount& count) {
  return program.accesses[instruction.extra].space == ptx::Space::kLocal && count.sectors > 0;
}

bool went_global(const Program& program, const Instruction& instruction, const AccessCount& count) {
  return count.sectors > 0 && !went_local(program, instruction, count);
}

bool went_shared(const AccessCount& count) { return count.wavefronts > 0; }

}  // namespace kp::vgpu
