// SPDX-License-Identifier: Apache-2.0
// What a reader of report.md needs to make a run again, for optimize.
#pragma once
#include <string>

#include "cli/workshop.h"
#include "loop/settings.h"

namespace kp::cli {

/// Program, compiler, device, host, date and command, under the keys of docs/store.md. `task` as
/// the user wrote it.
store::Meta environment(const Workshop& shop, const loop::Settings& settings,
                        const std::string& task);

}  // namespace kp::cli
