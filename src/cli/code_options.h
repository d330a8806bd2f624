// SPDX-License-Identifier: Apache-2.0
// Source trees on the command line: for the index, and for candidates of level cute and cutlass.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "codesearch/index.h"

namespace kp::cli {

/// --code-root, for commands that search or read.
void add_code_roots(CLI::App& command, std::vector<std::string>& roots);

/// `roots`, or $KERNELPRO_CUTLASS when there are none.
std::vector<Path> code_folders(const std::vector<std::string>& roots);
/// The index of `roots`, or of $KERNELPRO_CUTLASS when there are none; brought up to date.
Result<codesearch::Index> open_index(const std::vector<std::string>& roots);

}  // namespace kp::cli
