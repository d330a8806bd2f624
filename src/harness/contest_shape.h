// SPDX-License-Identifier: Apache-2.0
// How many laps a round has, on how many sets of arrays. Used by contest.cc.
#pragma once
#include <vector>

#include "device/hardware.h"
#include "model/device_spec.h"
#include "model/evaluation.h"

namespace kp::harness {

struct ContestShape {
  std::size_t laps = 1;     // of each side in a round
  std::size_t per_lap = 1;  // runs of the plan back to back in a lap, each on a set of its own
  std::size_t sets() const { return laps * per_lap; }
};

struct ShapeRequest {
  Depth depth = Depth::kQuick;
  std::size_t sides = 2;
  std::uint64_t set_bytes = 0;
  std::uint64_t other_bytes = 0;        // of the GPU, taken by answers
  std::vector<double> lap_nanoseconds;  // one run of each side
  const DeviceSpec& spec;
};
ContestShape shape_for(const ShapeRequest& request);

/// Seconds that `nanoseconds` of the baseline's work may take a candidate, from which nobody hears
/// until then: 20 times as long, and 2 s for everything around it.
double deadline_for(double nanoseconds);

/// ABBA: whether the baseline is first in the pair with this number.
bool baseline_first(const ContestShape& shape, std::size_t pair);

/// The laps of a round, every set once. `alternate`: ABBA, else the candidate first.
std::vector<device::Lap> laps_of(const ContestShape& shape, std::size_t sides, bool alternate);

}  // namespace kp::harness
