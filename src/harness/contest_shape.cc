// SPDX-License-Identifier: Apache-2.0
#include "harness/contest_shape.h"

#include <algorithm>
#include <cmath>

namespace kp::harness {
namespace {

constexpr double kShortRun = 20e3, kLeastLap = 200e3;  // nanoseconds
constexpr double kQuickBudget = 0.15e9;                // nanoseconds of laps in a round
constexpr double kFinalBudget = 1e9;
constexpr std::size_t kQuickLaps = 4, kFinalLaps = 8;     // pairs in a round
constexpr std::size_t kQuickSets = 64, kFinalSets = 256;  // of each side
constexpr double kRotation = 4;                           // times L2
constexpr double kMemoryShare = 0.4;                      // of the device's
constexpr double kUsableShare = 0.9;  // what answers leave of this; contexts take the rest

constexpr double kPatience = 20;  // a candidate that takes so many times the baseline is hung
constexpr double kSlackSeconds = 2;

std::size_t at_least_one(double value) {
  return static_cast<std::size_t>(std::max(std::floor(value), 1.0));
}

}  // namespace

ContestShape shape_for(const ShapeRequest& request) {
  const bool quick = request.depth == Depth::kQuick;
  const auto& times = request.lap_nanoseconds;
  const double shortest = std::max(*std::min_element(times.begin(), times.end()), 500.0);
  double pair = 0;
  for (const double time : times) pair += time;
  const std::size_t most_sets = quick ? kQuickSets : kFinalSets;
  const double one = static_cast<double>(request.set_bytes) * static_cast<double>(request.sides);
  const double memory = static_cast<double>(request.spec.memory_bytes);
  const double left = kUsableShare * memory - static_cast<double>(request.other_bytes);
  const std::size_t by_memory = at_least_one(std::min(kMemoryShare * memory, left) / one);
  ContestShape shape;
  if (shortest < kShortRun)
    shape.per_lap = static_cast<std::size_t>(std::ceil(kLeastLap / shortest));
  // Two laps at least, so that the order can turn.
  shape.per_lap = std::min({shape.per_lap, most_sets / 2, std::max<std::size_t>(by_memory / 2, 1)});
  const double per_lap = static_cast<double>(shape.per_lap);
  // Enough sets that none is left of the turn before in L2.
  const std::size_t rotating = at_least_one(
      std::ceil(kRotation * static_cast<double>(request.spec.l2_bytes) / one / per_lap));
  const std::size_t wanted = std::max(quick ? kQuickLaps : kFinalLaps, rotating);
  const double budget = quick ? kQuickBudget : kFinalBudget;
  shape.laps = std::min({wanted, at_least_one(budget / std::max(pair * per_lap, 1.0)),
                         std::max<std::size_t>(most_sets / shape.per_lap, 1),
                         std::max<std::size_t>(by_memory / shape.per_lap, 1)});
  return shape;
}

double deadline_for(double nanoseconds) { return kPatience * nanoseconds * 1e-9 + kSlackSeconds; }

bool baseline_first(const ContestShape&, std::size_t pair) { return pair % 2 == 1; }

std::vector<device::Lap> laps_of(const ContestShape& shape, std::size_t sides, bool alternate) {
  std::vector<device::Lap> laps;
  for (std::size_t pair = 0; pair < shape.laps; ++pair) {
    std::vector<int> sets;
    for (std::size_t i = 0; i < shape.per_lap; ++i)
      sets.push_back(static_cast<int>(pair * shape.per_lap + i));
    const bool turned = sides == 2 && alternate && baseline_first(shape, pair);
    for (std::size_t turn = 0; turn < sides; ++turn)
      laps.push_back({.contender = static_cast<int>(turned ? 1 - turn : turn), .sets = sets});
  }
  return laps;
}

}  // namespace kp::harness
