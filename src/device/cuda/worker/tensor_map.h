// SPDX-License-Identifier: Apache-2.0
// TMA descriptors. Used by steps.cc.
#pragma once
#include <span>

#include "device/cuda/worker/driver_call.h"
#include "device/device.h"

namespace kp::device::cuda {

/// Encodes `map` into its place in a parameter block.
Faulty<void> encode(const Driver& driver, const BoundTensorMap& map, std::span<std::byte> block);

}  // namespace kp::device::cuda
