// SPDX-License-Identifier: Apache-2.0
// What a binary may not contain, read from the cubin. Rules and reasons: docs/build.md.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/evaluation.h"

namespace kp::build {

struct GateRequest {
  std::string_view cubin;
  std::string_view ptx;  // of which the cubin was made
  std::string_view source;
  std::set<std::string, std::less<>> kernels;  // that the plan launches
};

/// Nothing when the binary passes. Errors: the cubin cannot be read (kCorrupt).
Result<std::optional<Rejected>> check_binary(const GateRequest& request);

/// Kernels in the cubin, mangled names included.
Result<std::vector<std::string>> kernels_of(std::string_view cubin);

}  // namespace kp::build
