// SPDX-License-Identifier: Apache-2.0
#include "diagnose/local_memory.h"

#include <algorithm>

#include "diagnose/blocks.h"
#include "diagnose/mix.h"
#include "diagnose/stalls.h"
#include "diagnose/warp.h"

namespace kp::diagnose {
namespace {

constexpr double kWord = 4;           // bytes of a register
constexpr double kInstPerAccess = 2;  // the access and its address
constexpr double kLeastLeft = 0.25;   // of the issue slots or the L1, where estimated; own

double l1_left(const Evidence& e, const LocalTraffic& local) {
  const double other =
      e.or_zero(metric::kGlobalLoadRequests) + e.or_zero(metric::kGlobalStoreRequests) +
      e.or_zero(metric::kSharedLoadWavefronts) + e.or_zero(metric::kSharedStoreWavefronts);
  return other / (other + local.accesses());
}

/// Local stores go through to the L2; of the loads only what exceeds all global sectors is sure.
double l2_left(const Evidence& e, const LocalTraffic& local) {
  const std::optional<double> all = e.get(metric::kL2SectorsFromL1);
  if (!all || *all <= 0) return 1;
  const double global =
      e.get(metric::kGlobalLoadSectors).value_or(*all) + e.or_zero(metric::kGlobalStoreSectors);
  return 1 - std::clamp(*all - global, 0.0, local.sectors()) / *all;
}

/// Local memory that leaves the L2: of the traffic of DRAM, as much as of that of the L2.
double dram_left(const Evidence& e, const LocalTraffic& local) {
  const double moved = e.or_zero(metric::kDramRead) + e.or_zero(metric::kDramWrite);
  if (!local.executed || moved <= 0) return 1;
  const double global =
      (e.or_zero(metric::kGlobalLoadSectors) + e.or_zero(metric::kGlobalStoreSectors)) *
      kSectorBytes;
  return std::clamp(std::max(l2_left(e, local), std::min(1.0, global / moved)), 0.0, 1.0);
}

/// Of the integer instructions, when the addresses of local accesses go.
double integer_left(const Evidence& e, const LocalTraffic& local) {
  const double integer = e.or_zero(metric::kIntegerInst);
  return integer > 0 ? std::max(0.0, 1 - local.accesses() * kLanesPerWarp / integer) : 1;
}

double latency_left(const Evidence& e, const LocalTraffic& local) {
  const std::optional<Stalls> stalls = stalls_of(e.kernel);
  const std::optional<double> waits = stalls ? stalls->of(Stall::kLongScoreboard) : std::nullopt;
  const double loads = local.loads / kSectorsPerWavefront;
  const double all = loads + e.or_zero(metric::kGlobalLoadRequests);
  return waits && all > 0 ? 1 - *waits * loads / all : 1;
}

}  // namespace

double LocalTraffic::accesses() const { return sectors() / kSectorsPerWavefront; }

LocalTraffic local_traffic(const Evidence& e) {
  const std::optional<Metric> loads = e.kernel.metrics.find(metric::kLocalLoadSectors.name);
  const std::optional<Metric> stores = e.kernel.metrics.find(metric::kLocalStoreSectors.name);
  if (!loads || !stores) return {};
  return {loads->value, stores->value, loads->grade == Grade::kMeasured, true};
}

LocalTraffic spills_at_least(const Evidence& e) {
  const double warps = warps_of(e).value_or(0);
  const double sectors = e.or_zero(metric::kSpillBytes) / kWord * warps * kSectorsPerWavefront;
  return {sectors / 2, sectors / 2, false, true};
}

double spilled_values(const Evidence& e) { return e.or_zero(metric::kSpillBytes) / kWord / 2; }
double registers_of(const Evidence& e) { return e.get(metric::kRegisters).value_or(kAllRegisters); }

LocalTraffic spills_in_loops(const Evidence& e) {
  const double arithmetic = warp_instructions(e, {metric::kFadd, metric::kFmul, metric::kFfma,
                                                  metric::kDadd, metric::kDmul, metric::kDfma});
  const double share = spilled_values(e) / (spilled_values(e) + registers_of(e));
  const double each_way =
      std::max(spills_at_least(e).loads, share * arithmetic * kSectorsPerWavefront);
  return {each_way, each_way, false, true};
}

bool arrays_only(const Evidence& e, const LocalTraffic& local) {
  return local.known && !local.executed && local.sectors() > spills_at_least(e).sectors();
}

double share_of_local(const Evidence& e, const LocalTraffic& local, const ResourceTimes& times) {
  if (local.sectors() <= 0) return 0;
  const double instructions = e.or_zero(metric::kInstructions);
  const double issue = instructions > 0 ? 1 - kInstPerAccess * local.accesses() / instructions : 1;
  return share_won(times, {.dram = dram_left(e, local),
                           .l2 = l2_left(e, local),
                           .l1 = l1_left(e, local),
                           .issue = std::max(issue, kLeastLeft),
                           .pipe = pipe_left(e, integer_left(e, local)),
                           .latency = latency_left(e, local)});
}

double share_on_top(const Evidence& e, const LocalTraffic& local, const ResourceTimes& times) {
  if (local.sectors() <= 0) return 0;
  const double instructions = e.or_zero(metric::kInstructions);
  const double issue = instructions > 0 ? 1 + kInstPerAccess * local.accesses() / instructions : 1;
  const double with =
      std::max({times.total, times.of(Resource::kL1) / std::max(l1_left(e, local), kLeastLeft),
                times.of(Resource::kIssue) * issue});
  return 1 - times.total / with;
}

}  // namespace kp::diagnose
