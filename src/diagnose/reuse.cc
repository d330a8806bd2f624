// SPDX-License-Identifier: Apache-2.0
#include "diagnose/reuse.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnose/access.h"
#include "diagnose/matrix_use.h"
#include "diagnose/mix.h"
#include "diagnose/stalls.h"
#include "diagnose/warp.h"

namespace kp::diagnose {
namespace {

constexpr double kSlack = 2;         // times what a tile allows, to be worth a word
constexpr double kRegisterTile = 8;  // outputs a thread along each side
constexpr double kFromRegisters = 2 / kRegisterTile;  // wavefronts a multiply-add of a warp
constexpr double kFromFragments = 1.0 / 32;  // the same for tensor cores: 64 x 64 outputs a warp
constexpr double kBlockTile = 64;            // outputs a block along each side, at least
constexpr double kLeastReuse = 4;            // loads of each compulsory byte, to be worth a word
constexpr double kWindowReuse = 2;           // the same when a thread has several outputs; own
constexpr double kRepeated = 8;      // loads of each byte from DRAM, where no task says more; own
constexpr double kLeastLeft = 0.25;  // of the loads of a window; own
constexpr double kMoves = 0.3;       // of a level in use, for loads to cost time; own
constexpr double kOfWaiting = 0.5;   // of the waiting for loads; own
constexpr double kLineBytes = kSectorsPerWavefront * kSectorBytes;
constexpr double kHalo = 1.5;  // bytes of a tile with its border over those without

double operand_bytes(Precision precision) {
  switch (precision) {
    case Precision::kF64:
      return 8;
    case Precision::kF32:
    case Precision::kTf32:
      return 4;
    case Precision::kF16:
    case Precision::kBf16:
      return 2;
    case Precision::kF8:
      return 1;
  }
  return 4;
}

/// Arithmetic stays, loads and what computes their addresses shrink.
double issue_left(const Evidence& e, double left) {
  const double arithmetic = warp_instructions(
      e, {metric::kFadd, metric::kFmul, metric::kFfma, metric::kDadd, metric::kDmul, metric::kDfma,
          metric::kHadd, metric::kHmul, metric::kHfma, metric::kXuInst});
  const std::optional<double> all = e.get(metric::kInstructions);
  if (!all || *all <= 0) return 1;
  const double kept = std::min(1.0, arithmetic / *all);
  return kept + (1 - kept) * left;
}

/// What a warp waits less. Where stalls were measured, a part of what it waits for loads, and
/// nothing where hardly anything moves.
double latency_left(const Evidence& e, const Reuse& reuse, const ResourceTimes& times) {
  const std::optional<Stalls> stalls = stalls_of(e.kernel);
  if (!stalls || stalls->grade != Grade::kMeasured) return std::max(reuse.left, kLeastLeft);
  const double memory =
      std::max({times.of(Resource::kDram), times.of(Resource::kL2), times.of(Resource::kL1)});
  if (memory < kMoves * times.total) return 1;
  const double waits = stalls
                           ->of({Stall::kLongScoreboard, Stall::kLgThrottle,
                                 Stall::kShortScoreboard, Stall::kMioThrottle})
                           .value_or(0);
  return 1 - waits * kOfWaiting * (1 - std::max(reuse.left, kLeastLeft));
}

}  // namespace

std::optional<Reuse> reuse_in_contraction(const Evidence& e) {
  const double products = *e.floor.flops / 2;
  const double steps = products / kLanesPerWarp;  // multiply-adds of a whole warp
  const double shared = *e.get(metric::kSharedLoadWavefronts);
  const double wavefronts = global_wavefronts(e, Direction::kLoad) + shared;
  // A matrix times a vector uses hardly any operand twice.
  if (wavefronts * kLineBytes < kLeastReuse * e.floor.bytes) return std::nullopt;
  const double now = wavefronts / steps;
  const double target = on_tensor_cores(e) ? kFromFragments : kFromRegisters;
  if (now < kSlack * target) return std::nullopt;
  const double tiled = 2 * products / kBlockTile * operand_bytes(e.floor.precision);
  return Reuse{target / now, std::max(e.floor.bytes, tiled),
               fmt::format("The contraction takes {:.3g} wavefronts of loads for 32 multiply-adds "
                           "({} of global, {} of shared memory); {} outputs {} need {:.2g}",
                           now, format_count(global_wavefronts(e, Direction::kLoad)),
                           format_count(shared), on_tensor_cores(e) ? "64 x 64" : "8 x 8",
                           on_tensor_cores(e) ? "a warp" : "a thread", target)};
}

std::optional<Reuse> reuse_in_window(const Evidence& e, double bytes_per_sector) {
  const double loaded = *e.get(metric::kGlobalLoadSectors) * bytes_per_sector;
  const double times = loaded / e.floor.bytes;
  if (times < kLeastReuse) return std::nullopt;
  return Reuse{std::max(kLeastLeft, kWindowReuse / times), kHalo * e.floor.bytes,
               fmt::format("Warps load {}, {:.3g} times the {} that the task must move: threads "
                           "load what their neighbours load",
                           format_bytes(loaded), times, format_bytes(e.floor.bytes))};
}

std::optional<Reuse> reuse_without_task(const Evidence& e, double bytes_per_sector) {
  const std::optional<double> read = e.get(metric::kDramRead);
  if (!read || *read <= 0) return std::nullopt;
  const double loaded = *e.get(metric::kGlobalLoadSectors) * bytes_per_sector;
  const double times = loaded / *read;
  if (times < kRepeated) return std::nullopt;
  return Reuse{std::max(kLeastLeft, kWindowReuse / times), kHalo * *read,
               fmt::format("Warps load {}, {:.3g} times the {} that come from DRAM: most of it is "
                           "loaded again",
                           format_bytes(loaded), times, format_bytes(*read))};
}

Relief relief_of(const Evidence& e, const Reuse& reuse, const ResourceTimes& times) {
  const double loads =
      global_wavefronts(e, Direction::kLoad) + *e.get(metric::kSharedLoadWavefronts);
  const double stores =
      e.or_zero(metric::kGlobalStoreRequests) + e.or_zero(metric::kSharedStoreWavefronts);
  Relief relief{.l1 = (loads * reuse.left + stores) / (loads + stores),
                .issue = issue_left(e, reuse.left),
                .pipe = on_tensor_cores(e) ? 1 : pipe_left(e, reuse.left),
                .latency = latency_left(e, reuse, times)};
  if (const std::optional<double> l2 = e.get(metric::kL2SectorsFromL1); l2 && *l2 > 0) {
    relief.l2 = std::min(1.0, reuse.l2_bytes / (*l2 * kSectorBytes));
  }
  return relief;
}

}  // namespace kp::diagnose
