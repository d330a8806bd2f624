// SPDX-License-Identifier: Apache-2.0
// The sub-commands of bench that look at results.
#pragma once
#include "cli/command.h"

namespace kp::cli {

/// report, compare, noise, audit.
void declare_bench_reports(CLI::App& bench, Run& run);

}  // namespace kp::cli
