// SPDX-License-Identifier: Apache-2.0
// Where CUDA may be installed; for toolchain.cc and inspection_tools.cc.
#pragma once
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace kp::build {

/// Folders that may hold a toolkit, the first choice first; they need not exist.
std::vector<Path> toolkit_roots();

/// The last name of those that start with `prefix`, in the first of `folders` under `root` that has
/// one; empty: none has.
Path find_library(const Path& root, std::initializer_list<const char*> folders,
                  std::string_view prefix);

}  // namespace kp::build
