// SPDX-License-Identifier: Apache-2.0
#include "vgpu/lower_error.h"

#include <fmt/format.h>

namespace kp::vgpu {

SourceSpot spot_of(const ptx::Module& module, const ptx::Instruction& instruction) {
  const auto& at = instruction.location;
  const bool known = at.line > 0 && at.file >= 0 &&
                     static_cast<std::size_t>(at.file) < module.files.size() &&
                     !module.files[static_cast<std::size_t>(at.file)].empty();
  if (!known) return {"kernel.ptx", instruction.ptx_line, 0};
  return {module.files[static_cast<std::size_t>(at.file)], at.line, at.column};
}

tl::unexpected<Error> unsupported(const ptx::Module& module, const ptx::Instruction& instruction,
                                  std::string_view what, std::string hint) {
  if (hint.empty())
    hint = "run this kernel on a GPU with --device cuda, or write it without that instruction";
  return tl::unexpected<Error>(Error{ErrorCode::kUnsupported,
                                     fmt::format("the virtual GPU cannot execute `{}`", what),
                                     std::move(hint),
                                     spot_of(module, instruction),
                                     {}});
}

tl::unexpected<Error> malformed(const ptx::Module& module, const ptx::Instruction& instruction,
                                std::string_view what) {
  return fail_at(spot_of(module, instruction),
                 fmt::format("bad PTX in `{}`: {}", instruction.form(), what),
                 "check the inline assembly at this line, if there is any");
}

}  // namespace kp::vgpu
