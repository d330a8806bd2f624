// SPDX-License-Identifier: Apache-2.0
// Reading CBOR from a sender that may be hostile. Used by protocol.cc.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

#include "base/result.h"

namespace kp::device::cuda {

/// kCorrupt for anything but one value in the subset that nlohmann writes: definite lengths, no
/// tags, text keys; nested at most 32 deep, at most a million values in all.
Result<nlohmann::json> read_cbor(std::span<const std::uint8_t> bytes);

}  // namespace kp::device::cuda
