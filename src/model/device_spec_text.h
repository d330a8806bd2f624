// SPDX-License-Identifier: Apache-2.0
// A device spec as text: what a run keeps of the GPU that it ran on.
#pragma once
#include <string>

#include "model/device_spec.h"

namespace kp {

/// As read_device_spec, of a text; `file` names it in messages.
Result<DeviceSpec> parse_device_spec(const std::string& text, const std::string& file);
/// A text that parse_device_spec reads to an equal spec; without units and sources.
std::string to_toml(const DeviceSpec& spec);

}  // namespace kp
