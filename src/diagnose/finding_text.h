// SPDX-License-Identifier: Apache-2.0
// Findings as plain text, for the terminal, prompts and golden files.
#pragma once
#include <string>

#include "model/finding.h"

namespace kp::diagnose {

/// "warning: bank_conflict in transpose: 1.24x to 1.56x possible (modelled)", then the evidence,
/// the reason and the numbered prescriptions with their code, indented. Ends with a line end.
std::string to_text(const Finding& finding);
/// "1.24x to 1.56x", or "up to 1.02x" when the low end rounds to nothing.
std::string to_text(const Gain& gain);

}  // namespace kp::diagnose
