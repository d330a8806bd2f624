// SPDX-License-Identifier: Apache-2.0
// The flags of commands that drive a proposer.
#pragma once
#include <CLI/CLI.hpp>

#include "propose/options.h"

namespace kp::cli {

void add_proposer_flags(CLI::App& command, propose::ProposerOptions& options);

/// Paths made absolute, so that a run can be resumed from another folder. kNotFound names a folder
/// or file that does not exist; kUnsupported an arm for which runs have no data.
Result<propose::ProposerOptions> resolved(propose::ProposerOptions options);

}  // namespace kp::cli
