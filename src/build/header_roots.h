// SPDX-License-Identifier: Apache-2.0
// Where the headers of levels `cute` and `cutlass` are, and which they are.
#pragma once
#include <string>
#include <vector>

#include "base/file.h"

namespace kp::build {

/// The include folders of `code_roots`, then that of $KERNELPRO_CUTLASS: `ROOT/include` or ROOT
/// itself, whichever holds `cute/tensor.hpp` or `cutlass/cutlass.h`. Canonical, each once; a root
/// without such headers gives none.
std::vector<Path> find_header_roots(const std::vector<Path>& code_roots);

/// Content address of all files below `roots`, by path and bytes; empty without roots. kIo: a file
/// that cannot be read.
Result<std::string> identity_of_headers(const std::vector<Path>& roots);

}  // namespace kp::build
