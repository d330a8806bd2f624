// SPDX-License-Identifier: Apache-2.0
// What a block of the kernel occupies and how many of them live on an SM at a time.
#pragma once
#include <optional>

#include "diagnose/evidence.h"
#include "vgpu/occupancy.h"

namespace kp::diagnose {

/// Absent when block size, registers or shared memory are unknown.
std::optional<vgpu::BlockResources> block_of(const KernelProfile& kernel);
/// Blocks of the grid over those that the device holds at a time; absent when unknown.
std::optional<double> waves_of(const Evidence& evidence);
/// Warps of the whole grid; absent when block or grid are unknown.
std::optional<double> warps_of(const Evidence& evidence);

}  // namespace kp::diagnose
