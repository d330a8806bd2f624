// SPDX-License-Identifier: Apache-2.0
// What the machine code of a candidate holds, from NVIDIA's disassemblers; needs no GPU. Listed in
// catalog.cc.
#pragma once
#include "profile/sass_text.h"
#include "profile/source.h"

namespace kp::profile {

/// Serves every device where there is a disassembler; without one, or when it fails, the metrics
/// stay absent.
std::unique_ptr<Source> sass_source();

/// All functions of a cubin, of an object file or of a program with its fat binaries; libraries
/// that a program loads are not followed. kUnavailable without a disassembler, kTimeout after two
/// minutes.
Result<std::vector<SassFunction>> disassemble(const Path& file);

}  // namespace kp::profile
