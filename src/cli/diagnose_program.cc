// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnose.h"
#include "profile/program.h"

namespace kp::cli {

Result<Diagnosed> diagnose_program(const DiagnoseOptions& options, Terminal&) {
  // Standard output holds one JSON value and nothing else.
  KP_TRY(auto recording, profile::record_program({.command = options.words,
                                                  .to_standard_error = options.candidate.json}));
  return diagnose_recording(std::move(recording));
}

}  // namespace kp::cli
