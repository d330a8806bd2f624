// SPDX-License-Identifier: Apache-2.0
// What the process that holds device code answers, read with distrust: it may be in anybody's
// hands. Used by loaded_module.cc.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "device/hardware.h"

namespace kp::device::cuda {

/// A finite number that is not negative.
bool is_duration(const nlohmann::json& value);

/// For an answer to `verb` that does not fit.
Mishap garbage(std::string_view verb);

/// For each step the nanoseconds of each run; empty unless every one is there.
std::vector<std::vector<double>> times_from(const nlohmann::json& body, std::size_t steps);
TimeReport report_of(const std::vector<std::vector<double>>& times,
                     std::span<const BoundStep> steps);

/// `count` laps; fewer when the answer does not fit.
std::vector<LapTime> laps_from(const nlohmann::json& body, std::size_t count);

/// The launches among the steps, with what was counted of each; nothing when the answer does not
/// fit.
std::optional<std::vector<LaunchReport>> counts_from(const nlohmann::json& body,
                                                     std::span<const BoundStep> steps);
std::optional<TraceReport> trace_from(const nlohmann::json& body);

}  // namespace kp::device::cuda
