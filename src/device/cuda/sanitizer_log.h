// SPDX-License-Identifier: Apache-2.0
// What compute-sanitizer wrote about a program.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "model/evaluation.h"

namespace kp::device::cuda {

struct SanitizerFinding {
  FaultKind kind = FaultKind::kMemory;  // memory, misaligned, race, uninitialised or barrier
  std::string text;                     // its first line: "Invalid __global__ read of size 4 bytes"
  std::string detail;  // where: "thread (0,0,0) in block (0,0,0), address 0x7f.. is out of bounds"
  std::string kernel;  // with its parameters where the tool knows them
  SourceSpot spot;     // with -lineinfo only
};
struct SanitizerLog {
  std::vector<SanitizerFinding> findings;  // errors alone, no warnings; the first 100
  bool complete = false;                   // a summary stands at its end
  std::string complaint;                   // the tool's own trouble, in its words
};

/// Never fails: lines that mean nothing are skipped.
SanitizerLog read_sanitizer_log(std::string_view text);

/// One sentence: tool, text, kernel, detail.
Crashed crash_of(const SanitizerFinding& finding, std::string_view tool);

}  // namespace kp::device::cuda
