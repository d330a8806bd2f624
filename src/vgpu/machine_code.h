// SPDX-License-Identifier: Apache-2.0
// What the assembler makes of neighbouring PTX instructions: additions that vanish into address
// arithmetic, shared loads that become one wide load, short branches that become predicates. Counts
// only; what is computed stays as it is. Used at the end of lowering.
#pragma once
#include "vgpu/lower_flat.h"
#include "vgpu/program.h"

namespace kp::vgpu {

/// Corrects `sass`, `pipe` and `issues_like` of the instructions of `program`, which was lowered
/// from `flat`, and Access::machine_bytes of its shared loads. docs/time-model.md has the rules.
void expect_machine_code(const Flat& flat, Program& program);

}  // namespace kp::vgpu
