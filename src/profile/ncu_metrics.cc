// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu_metrics.h"

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

namespace kp::profile::ncu {
namespace {

constexpr std::array kCounters{metric::kDuration,
                               metric::kDramRead,
                               metric::kDramWrite,
                               metric::kDramPct,
                               metric::kComputePct,
                               metric::kMemoryPct,
                               metric::kL1Pct,
                               metric::kL2Pct,
                               metric::kL1HitRate,
                               metric::kL2HitRate,
                               metric::kL2SectorsFromL1,
                               metric::kL2AtomSectors,
                               metric::kL2RedSectors,
                               metric::kGlobalLoadSectors,
                               metric::kGlobalLoadRequests,
                               metric::kGlobalStoreSectors,
                               metric::kGlobalStoreRequests,
                               metric::kLoadBytesPerSector,
                               metric::kStoreBytesPerSector,
                               metric::kLocalLoadSectors,
                               metric::kLocalStoreSectors,
                               metric::kSharedLoadConflicts,
                               metric::kSharedStoreConflicts,
                               metric::kSharedLoadWavefronts,
                               metric::kSharedStoreWavefronts,
                               metric::kSharedLoadInst,
                               metric::kSharedStoreInst,
                               metric::kGlobalLoadInst,
                               metric::kGlobalStoreInst,
                               metric::kGlobalAtomInst,
                               metric::kGlobalRedInst,
                               metric::kSharedAtomInst,
                               metric::kInstructions,
                               metric::kThreadsPerInst,
                               metric::kThreadsPredOnPerInst,
                               metric::kIssueActive,
                               metric::kAchievedOccupancy,
                               metric::kTheoreticalOccupancy,
                               metric::kLimitRegisters,
                               metric::kLimitShared,
                               metric::kLimitWarps,
                               metric::kLimitBlocks,
                               metric::kWaves,
                               metric::kRegisters,
                               metric::kSharedPerBlock,
                               metric::kBlockSize,
                               metric::kGridSize,
                               metric::kFadd,
                               metric::kFmul,
                               metric::kFfma,
                               metric::kDadd,
                               metric::kDmul,
                               metric::kDfma,
                               metric::kHadd,
                               metric::kHmul,
                               metric::kHfma,
                               metric::kIntegerInst,
                               metric::kConversionInst,
                               metric::kControlInst,
                               metric::kMemoryInst,
                               metric::kFp32Pct,
                               metric::kAluPct,
                               metric::kFp64Pct,
                               metric::kXuPct,
                               metric::kTensorPct,
                               metric::kWarpLatency,
                               metric::kStallBarrier,
                               metric::kStallMembar,
                               metric::kStallLongScoreboard,
                               metric::kStallShortScoreboard,
                               metric::kStallMioThrottle,
                               metric::kStallLgThrottle,
                               metric::kStallMathPipe,
                               metric::kStallWait,
                               metric::kStallNoInstruction,
                               metric::kStallNotSelected,
                               metric::kStallSelected,
                               metric::kStallBranch,
                               metric::kStallDrain,
                               metric::kStallGmma,
                               metric::kStallSleeping,
                               metric::kWarpsActive,
                               metric::kWarpsEligible,
                               metric::kSmCyclesActiveAvg,
                               metric::kSmCyclesActiveMax,
                               metric::kSmCyclesActiveSum,
                               metric::kSmCyclesElapsedSum,
                               metric::kSmClock,
                               metric::kTensorInst,
                               metric::kTensorWarpgroupInst,
                               metric::kLsuPct,
                               metric::kLocalLoadInst,
                               metric::kLocalStoreInst,
                               metric::kMatrixLoadInst,
                               metric::kAsyncCopyInst,
                               metric::kTmaLoadInst,
                               metric::kGlobalLoadHitRate,
                               metric::kL1ReadBytes};

/// Prefixes of families of which every member is kept; tools that users write may read them.
constexpr std::array<std::string_view, 4> kFamilies{
    "smsp__average_warps_issue_stalled_", "memory_l1_", "memory_l2_", "sass__inst_executed_"};

/// Metrics from which add_derived makes others.
constexpr std::array<std::string_view, 3> kCyclesAndShared{"smsp__cycles_elapsed.avg",
                                                           "launch__shared_mem_per_block_static",
                                                           "launch__shared_mem_per_block_dynamic"};

/// Counts under another name. A request to the L1 is one instruction of a warp (Profiling Guide,
/// "request"; equal for loads and stores in testdata/ncu); atomics reach the L2 from SMs alone.
struct Alias {
  std::string_view name;
  MetricKey key;
};
constexpr std::array kAliases{
    Alias{"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", metric::kGlobalAtomInst},
    Alias{"lts__t_sectors_srcunit_tex_op_atom.sum", metric::kL2AtomSectors},
    Alias{"lts__t_sectors_srcunit_tex_op_red.sum", metric::kL2RedSectors},
    Alias{"smsp__inst_executed_op_ldsm.sum", metric::kMatrixLoadInst},
    Alias{"smsp__inst_executed_op_ldgsts.sum", metric::kAsyncCopyInst},
    Alias{"smsp__inst_executed_op_tma_ld.sum", metric::kTmaLoadInst}};

/// `--set full` has these counts only for a cycle.
constexpr std::string_view kRate = ".per_cycle_elapsed";
constexpr std::array kRated{metric::kFadd, metric::kFmul, metric::kFfma,
                            metric::kDadd, metric::kDmul, metric::kDfma,
                            metric::kHadd, metric::kHmul, metric::kHfma};
// Rates have two decimals: from one instruction a cycle on the rounding is below 0.5 %.
constexpr double kLeastRate = 1;

/// The labels of the details page. Each was compared with the raw page of the same report (Nsight
/// Compute 2025.3, testdata/ncu); those up to 2021 are of its section files of versions 2019.5 to
/// 2021.1.
struct Label {
  std::string_view label, unit;  // in base units; "*" stands for any
  MetricKey key;
  double factor = 1;
};
constexpr std::string_view kAnyUnit = "*";
constexpr double kPercent = 0.01;
constexpr std::array kLabels{
    Label{"Duration", kAnyUnit, metric::kDuration},
    Label{"Memory Throughput", "%", metric::kMemoryPct},
    Label{"DRAM Throughput", "%", metric::kDramPct},
    Label{"L1/TEX Cache Throughput", "%", metric::kL1Pct},
    Label{"L2 Cache Throughput", "%", metric::kL2Pct},
    Label{"Compute (SM) Throughput", "%", metric::kComputePct},
    Label{"L1/TEX Hit Rate", "%", metric::kL1HitRate},
    Label{"L2 Hit Rate", "%", metric::kL2HitRate},
    Label{"One or More Eligible", "%", metric::kIssueActive, kPercent},
    Label{"Active Warps Per Scheduler", kAnyUnit, metric::kWarpsActive},
    Label{"Eligible Warps Per Scheduler", kAnyUnit, metric::kWarpsEligible},
    Label{"Warp Cycles Per Issued Instruction", "cycle", metric::kWarpLatency},
    Label{"Avg. Active Threads Per Warp", kAnyUnit, metric::kThreadsPerInst},
    Label{"Avg. Not Predicated Off Threads Per Warp", kAnyUnit, metric::kThreadsPredOnPerInst},
    Label{"Executed Instructions", kAnyUnit, metric::kInstructions},
    Label{"Block Size", kAnyUnit, metric::kBlockSize},
    Label{"Grid Size", kAnyUnit, metric::kGridSize},
    Label{"Registers Per Thread", kAnyUnit, metric::kRegisters},
    Label{"Waves Per SM", kAnyUnit, metric::kWaves},
    Label{"Block Limit SM", "block", metric::kLimitBlocks},
    Label{"Block Limit Registers", "block", metric::kLimitRegisters},
    Label{"Block Limit Shared Mem", "block", metric::kLimitShared},
    Label{"Block Limit Warps", "block", metric::kLimitWarps},
    Label{"Theoretical Occupancy", "%", metric::kTheoreticalOccupancy},
    Label{"Achieved Occupancy", "%", metric::kAchievedOccupancy},
    Label{"SM Active Cycles", "cycle", metric::kSmCyclesActiveAvg},
    Label{"Average SM Active Cycles", "cycle", metric::kSmCyclesActiveAvg},
    Label{"Total SM Elapsed Cycles", "cycle", metric::kSmCyclesElapsedSum},
    // Up to 2021.
    Label{"Memory [%]", "%", metric::kMemoryPct},
    Label{"SOL DRAM", "%", metric::kDramPct},
    Label{"SOL L1/TEX Cache", "%", metric::kL1Pct},
    Label{"SOL L2 Cache", "%", metric::kL2Pct},
    Label{"SM [%]", "%", metric::kComputePct},
    Label{"Compute (SM) [%]", "%", metric::kComputePct},
};
constexpr std::string_view kStaticShared = "Static Shared Memory Per Block";
constexpr std::string_view kDynamicShared = "Dynamic Shared Memory Per Block";

using Names = std::unordered_map<std::string_view, Meaning>;

Names make_names() {
  // Names of rates live as long as the program.
  static std::array<std::string, kRated.size()> rates;
  Names names;
  const auto keep = [&](std::string_view name) { names.emplace(name, Meaning{name}); };
  for (const MetricKey& key : kCounters) keep(key.name);
  // One GPU: the mean over GPUs is the sum.
  names.emplace("gpu__time_duration.avg", Meaning{metric::kDuration.name});
  for (const std::string_view name : kCyclesAndShared) keep(name);
  for (const Alias& alias : kAliases) keep(alias.name);
  for (std::size_t i = 0; i < kRated.size(); ++i) {
    rates[i] = std::string(kRated[i].name) + std::string(kRate);
    keep(rates[i]);
  }
  return names;
}

const Names& names() {
  static const Names kNames = make_names();
  return kNames;
}

void add(MetricSet& metrics, const MetricKey& key, double value) {
  if (!metrics.get(key)) metrics.set(key, value, grade_of(key.name));
}

std::optional<double> value(const MetricSet& metrics, std::string_view name) {
  const std::optional<Metric> found = metrics.find(name);
  return found ? std::optional(found->value) : std::nullopt;
}

void add_counts(MetricSet& metrics) {
  const std::optional<double> cycles = value(metrics, kCyclesAndShared[0]);
  if (!cycles) return;
  for (const MetricKey& key : kRated) {
    const auto rate = value(metrics, std::string(key.name) + std::string(kRate));
    if (rate && (*rate == 0 || *rate >= kLeastRate)) add(metrics, key, *rate * *cycles);
  }
}

/// ncu counts the system's kilobyte with the block; here, as in the occupancy arithmetic, the key
/// stands for what the kernel asked for.
void without_reserved(MetricSet& metrics) {
  const auto fixed = value(metrics, kCyclesAndShared[1]);
  const auto dynamic = value(metrics, kCyclesAndShared[2]);
  if (fixed && dynamic) metrics.set(metric::kSharedPerBlock, *fixed + *dynamic, Grade::kStatic);
}

}  // namespace

std::span<const MetricKey> counters() { return kCounters; }

std::optional<Meaning> meaning_of(std::string_view name) {
  const auto found = names().find(name);
  if (found != names().end()) return found->second;
  const bool kept = std::any_of(kFamilies.begin(), kFamilies.end(),
                                [&](std::string_view prefix) { return name.starts_with(prefix); });
  return kept ? std::optional(Meaning{name}) : std::nullopt;
}

std::optional<Meaning> meaning_of_label(std::string_view label, std::string_view unit) {
  if (label == kStaticShared) return Meaning{kCyclesAndShared[1]};
  if (label == kDynamicShared) return Meaning{kCyclesAndShared[2]};
  const auto found = std::find_if(kLabels.begin(), kLabels.end(), [&](const Label& known) {
    return known.label == label && (known.unit == kAnyUnit || known.unit == unit);
  });
  if (found == kLabels.end()) return std::nullopt;
  return Meaning{found->key.name, found->factor};
}

Grade grade_of(std::string_view name) {
  const bool of_launch = name.starts_with("launch__") || name == metric::kTheoreticalOccupancy.name;
  return of_launch ? Grade::kStatic : Grade::kMeasured;
}

void add_derived(MetricSet& metrics) {
  for (const Alias& alias : kAliases) {
    if (const auto known = value(metrics, alias.name)) add(metrics, alias.key, *known);
  }
  add_counts(metrics);
  without_reserved(metrics);
}

}  // namespace kp::profile::ncu
