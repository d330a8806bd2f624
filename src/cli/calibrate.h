// SPDX-License-Identifier: Apache-2.0
// `kernelpro doctor --calibrate`.
#pragma once
#include <string>

#include "cli/terminal.h"

namespace kp::cli {

struct CalibrateOptions {
  std::string device;
  std::string out;  // empty: NAME.toml in the working folder
  bool json = false;
};

/// Measures the GPU's ceilings, prints them and writes a spec file. An exit code.
Result<int> calibrate(const CalibrateOptions& options, Terminal& terminal);

}  // namespace kp::cli
