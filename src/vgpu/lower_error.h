// SPDX-License-Identifier: Apache-2.0
// Errors of lowering, with the user's line. Used by all parts of lowering.
#pragma once
#include "base/result.h"
#include "ptx/module.h"

namespace kp::vgpu {

/// The CUDA line of an instruction, or its line in the PTX where there is none.
SourceSpot spot_of(const ptx::Module& module, const ptx::Instruction& instruction);

/// kUnsupported: "the virtual GPU cannot execute `what`".
tl::unexpected<Error> unsupported(const ptx::Module& module, const ptx::Instruction& instruction,
                                  std::string_view what, std::string hint = {});

/// kInvalidInput: PTX that no compiler emits.
tl::unexpected<Error> malformed(const ptx::Module& module, const ptx::Instruction& instruction,
                                std::string_view what);

}  // namespace kp::vgpu
