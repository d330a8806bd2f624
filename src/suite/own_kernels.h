// SPDX-License-Identifier: Apache-2.0
// Which of the kernels that ran a published candidate wrote itself. Used by judge_claim.cc.
#pragma once
#include <set>
#include <string>
#include <string_view>

#include "suite/claim.h"
#include "torch/guest.h"

namespace kp::suite {

/// Names of the kernels that a Python file defines: functions marked __global__ in its text, and
/// those under a decorator of Triton.
std::set<std::string> kernels_defined_in(std::string_view text);

/// "void at::native::elementwise_kernel<128, 2>(int)" is elementwise_kernel.
std::string base_name(std::string_view kernel);

/// Fills own_share and library_kernels. Nothing where no kernel took any time.
void divide_kernels(const std::vector<torch::GuestKernel>& kernels,
                    const std::set<std::string>& own, Claim& claim);

}  // namespace kp::suite
