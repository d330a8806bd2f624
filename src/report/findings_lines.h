// SPDX-License-Identifier: Apache-2.0
// Lines that the text and the Markdown of findings have in common; for findings*.cc.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/findings.h"

namespace kp::report {

/// "NVIDIA H200, recorded by ncu: 7 kernels, 12 launches, 18.2 ms of GPU time".
std::string program_line(const diagnose::ProgramDiagnosis& program);
/// "97.1 % of the GPU time, 17 ms in 1 launch; memory-bound: compute reaches ...".
std::string kernel_line(const diagnose::KernelDiagnosis& kernel);
/// "warning: bank_conflict: 1.24x to 1.56x possible (measured)".
std::string headline_of(const Finding& finding);
/// What was seen and why it costs, in one paragraph.
std::string message_of(const Finding& finding);
/// "OPT SharedMemoryConflicts (global 73.5 %): text".
std::string rule_line(const profile::RuleMessage& rule);
/// About the kernels that are not shown; empty when all are.
std::string hidden_line(const FindingsView& view);

bool is_roof(const Finding& finding);
/// Names may hold line ends.
std::string one_line(std::string_view text);
std::size_t shown_kernels(const FindingsView& view);

}  // namespace kp::report
