// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <utility>

#include "vgpu/counters.h"
#include "vgpu/traffic.h"

namespace kp::vgpu {
namespace {

bool is_fp64(Class cls) {
  return cls == Class::kDadd || cls == Class::kDmul || cls == Class::kDfma ||
         cls == Class::kFp64Other;
}

void add_instruction(LineProfile& line, const Instruction& instruction,
                     const InstructionCount& count, double scale) {
  const double lanes = static_cast<double>(count.lanes) * scale;
  const double issued = static_cast<double>(count.issued) * scale;
  line.instructions += issued * instruction.sass;
  line.lanes += static_cast<double>(count.lanes_all) * instruction.sass * scale;
  if (instruction.kind == Kind::kAtomic) line.atomics += issued;
  if (instruction.kind == Kind::kBarrier) line.barriers += issued;
  if (is_fp64(instruction.cls)) line.fp64 += lanes;
  if (instruction.cls == Class::kTranscendental) line.xu += lanes;
  if (instruction.cls == Class::kConversion) line.conversions += lanes;
}

void add_access(LineProfile& line, const Program& program, const Instruction& instruction,
                const AccessCount& count, double scale) {
  const bool plain = direction_of(instruction) != Direction::kAtomic;
  if (plain && went_global(program, instruction, count)) {
    line.global_requests += static_cast<double>(count.requests) * scale;
    line.global_sectors += static_cast<double>(count.sectors) * scale;
    line.global_bytes += static_cast<double>(count.bytes) * scale;
    line.ideal_sectors += static_cast<double>(count.ideal) * scale;
  }
  if (went_local(program, instruction, count)) {
    line.local_sectors += static_cast<double>(count.sectors) * scale;
  }
  if (went_shared(count)) {
    line.shared_requests += static_cast<double>(count.requests) * scale;
    line.shared_wavefronts += static_cast<double>(count.wavefronts) * scale;
    line.shared_conflicts += static_cast<double>(count.conflicts) * scale;
  }
}

}  // namespace

std::vector<LineProfile> lines_of(const Program& program, const GridCounters& counters) {
  std::map<std::pair<std::string, int>, LineProfile> lines;
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& instruction = program.code[pc];
    if (instruction.line == 0 || instruction.line >= program.lines.size()) continue;
    const SourceLine& source = program.lines[instruction.line];
    LineProfile& line = lines[{source.file, source.line}];
    add_instruction(line, instruction, counters.instructions()[pc], counters.scale());
    if (const AccessCount* count = access_count(program, counters, pc); count != nullptr) {
      add_access(line, program, instruction, *count, counters.scale());
    }
  }
  std::vector<LineProfile> result;
  for (auto& [place, line] : lines) {
    line.file = place.first;
    line.line = place.second;
    result.push_back(std::move(line));
  }
  return result;
}

}  // namespace kp::vgpu
