// SPDX-License-Identifier: Apache-2.0
// What to do about one reason for which warps wait.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "diagnose/evidence.h"
#include "diagnose/stalls.h"

namespace kp::diagnose {

struct Remedy {
  double removed = 0;  // of the share waited for the reason
  std::string_view costs;
  std::vector<Prescription> prescriptions;
  double (*weight)(const LineProfile&) = nullptr;  // of the lines that are waited for
};

/// Absent when a more specific tool speaks about the reason. Instructions must be known.
std::optional<Remedy> remedy_for(Stall reason, const Evidence& evidence, const Stalls& stalls);

}  // namespace kp::diagnose
