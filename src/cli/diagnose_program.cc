// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnose.h"
#include "profile/program.h"

namespace kp::cli {
namespace {

profile::Via via_of(const DiagnoseOptions& options) {
  if (options.via == "ncu") return profile::Via::kNcu;
  return options.via == "inject" ? profile::Via::kInject : profile::Via::kAny;
}

}  // namespace

Result<Diagnosed> diagnose_program(const DiagnoseOptions& options, Terminal&) {
  // Standard output holds one JSON value and nothing else.
  KP_TRY(auto recording, profile::record_program({.command = options.words,
                                                  .via = via_of(options),
                                                  .to_standard_error = options.candidate.json}));
  return diagnose_recording(std::move(recording));
}

}  // namespace kp::cli
