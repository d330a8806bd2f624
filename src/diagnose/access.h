// SPDX-License-Identifier: Apache-2.0
// How lanes of a warp touch global memory: bytes a lane, and whether lanes lie side by side.
// Counted where accesses were executed one by one; else from machine code and from the sectors and
// useful bytes that hardware counted.
#pragma once
#include <optional>

#include "diagnose/evidence.h"

namespace kp::diagnose {

enum class Direction { kLoad, kStore };

/// The metrics of one direction.
struct AccessKeys {
  std::string_view name;  // "loads", "stores"
  MetricKey instructions, requests, sectors, bytes_per_sector;
  MetricKey width, unit_stride;  // counted by execution
  MetricKey code_width;          // of the machine code
};
const AccessKeys& keys_of(Direction direction);

/// Useful bytes of a 32-byte sector from which accesses count as packed; own.
inline constexpr double kPackedBytes = 24;
/// Percent of accesses with unit stride from which lanes lie side by side.
inline constexpr double kSideBySide = 90;

/// Useful bytes of a sector; absent when unknown. Hardware leaves copies that pass by the registers
/// out of this counter: zero beside sectors means that, and not that nothing was used.
std::optional<double> useful_bytes(const Evidence& evidence, Direction direction);
/// Bytes that one lane moves with one instruction.
std::optional<double> width_of(const Evidence& evidence, Direction direction);
/// Percent of the accesses whose lanes lie side by side.
std::optional<double> unit_stride_of(const Evidence& evidence, Direction direction);
/// Whether packed loads start inside of a sector, so that neighbouring warps share one.
bool straddles_sectors(const Evidence& evidence);
/// Global loads that one thread makes; 0 when unknown.
double loads_per_thread(const Evidence& evidence);
/// What the L1 takes for `requests` that move `sectors`.
double wavefronts_of(double requests, double sectors);
/// What it takes for the global accesses of one direction; unknown counters add nothing.
double global_wavefronts(const Evidence& evidence, Direction direction);

}  // namespace kp::diagnose
