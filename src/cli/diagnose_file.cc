// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnose.h"
#include "profile/recording_file.h"

namespace kp::cli {

Result<Diagnosed> diagnose_recording(profile::Recording recording) {
  std::vector<profile::RuleMessage> rules = recording.rules;
  KP_TRY(auto program, diagnose::diagnose(std::move(recording)));
  return Diagnosed{std::move(program), std::move(rules), {}};
}

Result<Diagnosed> diagnose_file(const Path& file) {
  KP_TRY(auto recording, profile::read_recording(file));
  return diagnose_recording(std::move(recording));
}

}  // namespace kp::cli
