// SPDX-License-Identifier: Apache-2.0
// The referee's kernels as a binary. Used by referee.cc.
#pragma once
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "build/build.h"

namespace kp::harness {

/// kUnavailable: the kernels do not compile, load or run here.
tl::unexpected<Error> referee_broken(const std::string& what);

/// Compiles the kernels, or takes them from the cache.
Result<build::Binary> compile_referee(const std::string& architecture,
                                      const build::Toolchain& toolchain, const Path& cache);

}  // namespace kp::harness
