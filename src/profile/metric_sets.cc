// SPDX-License-Identifier: Apache-2.0
#include "profile/metric_sets.h"

#include <array>

namespace kp::profile {
namespace {

constexpr std::array kTriage{metric::kDuration,
                             metric::kDramRead,
                             metric::kDramWrite,
                             metric::kDramPct,
                             metric::kTensorPct,
                             metric::kFp32Pct,
                             metric::kAluPct,
                             metric::kAchievedOccupancy,
                             metric::kIssueActive,
                             metric::kInstructions,
                             metric::kWarpLatency,
                             metric::kStallLongScoreboard,
                             metric::kStallBarrier,
                             metric::kGlobalLoadSectors,
                             metric::kGlobalLoadRequests,
                             metric::kLoadBytesPerSector,
                             metric::kStoreBytesPerSector,
                             metric::kGlobalAtomInst,
                             metric::kGlobalLoadInst,
                             metric::kGlobalStoreInst,
                             metric::kAsyncCopyInst,
                             metric::kMatrixLoadInst,
                             metric::kLocalLoadInst,
                             metric::kLocalStoreInst,
                             metric::kSharedLoadInst,
                             metric::kSharedStoreInst,
                             metric::kTmaLoadInst,
                             metric::kControlInst,
                             metric::kConversionInst,
                             metric::kDadd,
                             metric::kDfma,
                             metric::kDmul,
                             metric::kFadd,
                             metric::kFfma,
                             metric::kFmul,
                             metric::kHadd,
                             metric::kHfma,
                             metric::kHmul,
                             metric::kIntegerInst,
                             metric::kMemoryInst,
                             metric::kL1Pct,
                             metric::kL2Pct,
                             metric::kXuPct,
                             metric::kFp64Pct,
                             metric::kGlobalStoreSectors,
                             metric::kGlobalStoreRequests,
                             metric::kSharedLoadConflicts,
                             metric::kSharedStoreConflicts,
                             metric::kSharedLoadWavefronts,
                             metric::kSharedStoreWavefronts,
                             metric::kThreadsPerInst,
                             metric::kThreadsPredOnPerInst,
                             metric::kLocalLoadSectors,
                             metric::kLocalStoreSectors,
                             metric::kTensorInst,
                             metric::kTensorWarpgroupInst,
                             metric::kGlobalRedInst,
                             metric::kSharedAtomInst,
                             metric::kSmCyclesActiveAvg,
                             metric::kSmCyclesActiveMax,
                             metric::kSmCyclesActiveSum,
                             metric::kSmCyclesElapsedSum,
                             metric::kSmClock,
                             metric::kL2HitRate,
                             metric::kL1HitRate,
                             metric::kL2AtomSectors,
                             metric::kL2RedSectors,
                             metric::kL2SectorsFromL1,
                             metric::kStallShortScoreboard,
                             metric::kStallMioThrottle,
                             metric::kStallLgThrottle,
                             metric::kStallWait,
                             metric::kStallMathPipe,
                             metric::kStallMembar,
                             metric::kStallDrain,
                             metric::kWarpsActive,
                             metric::kGlobalLoadHitRate,
                             metric::kL1ReadBytes};

constexpr std::array kOnlyInFull{metric::kMemoryPct,        metric::kLsuPct,
                                 metric::kComputePct,       metric::kStallBranch,
                                 metric::kStallGmma,        metric::kStallNoInstruction,
                                 metric::kStallNotSelected, metric::kStallSelected,
                                 metric::kStallSleeping,    metric::kWarpsEligible};

constexpr auto kFull = [] {
  std::array<MetricKey, kTriage.size() + kOnlyInFull.size()> all{};
  std::size_t at = 0;
  for (const MetricKey& key : kTriage) all[at++] = key;
  for (const MetricKey& key : kOnlyInFull) all[at++] = key;
  return all;
}();

}  // namespace

std::span<const MetricKey> triage_metrics() { return kTriage; }
std::span<const MetricKey> full_metrics() { return kFull; }

}  // namespace kp::profile
