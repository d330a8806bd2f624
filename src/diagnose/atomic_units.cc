// SPDX-License-Identifier: Apache-2.0
#include "diagnose/atomic_units.h"

#include <algorithm>

#include "diagnose/warp.h"
#include "vgpu/time_model.h"

namespace kp::diagnose {
namespace {

constexpr double kOncePerBlock = 1.5;  // atomic instructions a block, where some add twice; own
constexpr double kLoadsOfTries = 0.8;  // shared loads for each try of such a loop: one, less own

}  // namespace

double global_atomics(const Evidence& e) {
  return *e.get(metric::kGlobalAtomInst) + *e.get(metric::kGlobalRedInst);
}

bool one_for_each_block(const Evidence& e) {
  const double blocks = e.or_zero(metric::kGridSize);
  return blocks > 1 && global_atomics(e) <= kOncePerBlock * blocks;
}

std::optional<double> spread_time(const Evidence& e) {
  const Result<vgpu::TimeConstants> constants = vgpu::time_constants(e.device);
  if (!constants) return std::nullopt;
  const double turns = global_atomics(e) * e.get(metric::kThreadsPerInst).value_or(kLanesPerWarp);
  return turns / constants->atomic_turns / e.device.clock_hz * kNanoseconds;
}

std::optional<AtomicTimes> atomic_times(const Evidence& e) {
  const std::optional<double> atom = e.get(metric::kL2AtomSectors);
  const std::optional<double> red = e.get(metric::kL2RedSectors);
  const Result<vgpu::TimeConstants> constants = vgpu::time_constants(e.device);
  if (!atom || !red || !constants) return std::nullopt;
  const double cycles = (*atom + *red) / e.device.clock_hz * kNanoseconds;
  return AtomicTimes{cycles / constants->atomic_turns, cycles / constants->line_turns};
}

std::optional<Tries> shared_tries(const Evidence& e) {
  const std::optional<double> tries = e.get(metric::kSharedAtomInst);
  const std::optional<double> loads = e.get(metric::kSharedLoadInst);
  const std::optional<double> lanes = e.get(metric::kThreadsPerInst);
  if (!tries || !loads || !lanes || *tries <= 0 || *loads < kLoadsOfTries * *tries) {
    return std::nullopt;
  }
  // Of s lanes on one word, s take part in the first try and one in the last: on average a share
  // (s + 1) / 2s of the warp.
  const double twice = 2 * *lanes / kLanesPerWarp - 1;
  Tries found{.sharing = twice > 1 / kLanesPerWarp ? 1 / twice : kLanesPerWarp};
  found.sharing = std::clamp(found.sharing, 1.0, kLanesPerWarp);
  const double swaps = *tries + std::min(*tries, *loads);
  const double others =
      std::max(0.0, *loads - *tries) + e.or_zero(metric::kSharedStoreWavefronts) +
      (e.or_zero(metric::kGlobalLoadSectors) + e.or_zero(metric::kGlobalStoreSectors)) /
          kSectorsPerWavefront;
  found.left = (swaps / found.sharing + others) / (swaps + others);
  return found;
}

double left_without_meeting(const Evidence& e, double sharing) {
  const double instructions = *e.get(metric::kSharedAtomInst);
  const double atomics = instructions * sharing;
  const double others =
      e.or_zero(metric::kSharedLoadWavefronts) + e.or_zero(metric::kSharedStoreWavefronts) +
      (e.or_zero(metric::kGlobalLoadSectors) + e.or_zero(metric::kGlobalStoreSectors)) /
          kSectorsPerWavefront;
  return 1 - (atomics - instructions) / (atomics + others);
}

}  // namespace kp::diagnose
