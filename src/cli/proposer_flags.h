// SPDX-License-Identifier: Apache-2.0
// The flags of commands that drive a proposer.
#pragma once
#include <CLI/CLI.hpp>

#include "propose/options.h"

namespace kp::cli {

void add_proposer_flags(CLI::App& command, propose::ProposerOptions& options);

}  // namespace kp::cli
