// SPDX-License-Identifier: Apache-2.0
// Sees:           registers that the compiler spills, or an array of each thread that it keeps in
//                 local memory because its index is not constant.
// Costs because:  local memory is off-chip memory behind the L1: each use is a load or a store.
// Try:            looser launch bounds; fewer values alive; constant indices by full unrolling.
// Misleads when:  spills lie outside of the loops, or buy occupancy that hides latency: measure
//                 both; the virtual GPU runs code before registers are assigned and charges nothing
//                 for spills, so that only their number is known there.
// Source:         CUDA C++ Best Practices Guide, local memory; rule on register spilling of Nsight
//                 Compute.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "diagnose/actions.h"
#include "diagnose/blocks.h"
#include "diagnose/bound.h"
#include "diagnose/mix.h"
#include "diagnose/resources.h"
#include "diagnose/spots.h"
#include "diagnose/stalls.h"
#include "diagnose/tool.h"

namespace kp::diagnose {
namespace {

constexpr double kWord = 4;            // bytes of a register
constexpr double kSectorsPerLine = 4;  // one word of all lanes is one line
constexpr double kSector = 32;         // bytes
constexpr double kLanes = 32;
constexpr double kLeastSpill = 32;        // bytes a thread that are worth a word unmeasured; own
constexpr double kManySpills = 0.25;      // of the registers; above: a warning unmeasured; own
constexpr double kAllRegisters = 250;     // from here the hardware sets the limit, not the bounds
constexpr double kMostInRegisters = 512;  // bytes of an array that registers can hold; own
constexpr double kInstPerAccess = 2;      // the access and its address
constexpr double kCap = 4;                // speed-up where accesses are modelled; own
constexpr double kCountedCap = 16;        // where hardware counted them; own

constexpr std::array kNeeds{metric::kGridSize, metric::kBlockSize};
constexpr std::array kUsed{metric::kSpillBytes, metric::kStackBytes, metric::kLocalLoadSectors,
                           metric::kLocalStoreSectors};

/// What goes to local memory.
struct Local {
  double loads = 0, stores = 0;  // sectors
  bool executed = false;         // counted on hardware, so spills are among them
  bool known = false;

  double sectors() const { return loads + stores; }
  double accesses() const { return sectors() / kSectorsPerLine; }
};

Local local_of(const Evidence& e) {
  const std::optional<Metric> loads = e.kernel.metrics.find(metric::kLocalLoadSectors.name);
  const std::optional<Metric> stores = e.kernel.metrics.find(metric::kLocalStoreSectors.name);
  if (!loads || !stores) return {};
  return {loads->value, stores->value, loads->grade == Grade::kMeasured, true};
}

/// Spilled words that each thread moves at least: every spill once.
Local spills_at_least(const Evidence& e) {
  const double warps = e.get(metric::kGridSize).value_or(0) *
                       std::ceil(e.get(metric::kBlockSize).value_or(0) / kLanes);
  const double sectors = e.get(metric::kSpillBytes).value_or(0) / kWord * warps * kSectorsPerLine;
  return {sectors / 2, sectors / 2, false, true};
}

/// Values that are spilled; the code stores and loads each.
double spilled_values(const Evidence& e) {
  return e.get(metric::kSpillBytes).value_or(0) / kWord / 2;
}
double registers_of(const Evidence& e) { return e.get(metric::kRegisters).value_or(kAllRegisters); }

/// The same when the spills are in the loops: of the operands of arithmetic, as many come from
/// local memory and go back there as there are spilled values among all.
Local spills_in_loops(const Evidence& e) {
  double arithmetic = 0;
  for (const MetricKey& key :
       {metric::kFadd, metric::kFmul, metric::kFfma, metric::kDadd, metric::kDmul, metric::kDfma}) {
    arithmetic += e.get(key).value_or(0) / kLanes;
  }
  const double share = spilled_values(e) / (spilled_values(e) + registers_of(e));
  const double each_way = std::max(spills_at_least(e).loads, share * arithmetic * kSectorsPerLine);
  return {each_way, each_way, false, true};
}

/// The virtual GPU executes no spills: what it counts are arrays, here more than the spills.
bool arrays_only(const Evidence& e, const Local& local) {
  return local.known && !local.executed && local.sectors() > spills_at_least(e).sectors();
}

double l1_left(const Evidence& e, const Local& local) {
  const double other = e.get(metric::kGlobalLoadRequests).value_or(0) +
                       e.get(metric::kGlobalStoreRequests).value_or(0) +
                       e.get(metric::kSharedLoadWavefronts).value_or(0) +
                       e.get(metric::kSharedStoreWavefronts).value_or(0);
  return other / (other + local.accesses());
}

/// Local stores go through to the L2; of the loads only what exceeds all global sectors is sure.
double l2_left(const Evidence& e, const Local& local) {
  const std::optional<double> all = e.get(metric::kL2SectorsFromL1);
  if (!all || *all <= 0) return 1;
  const double global = e.get(metric::kGlobalLoadSectors).value_or(*all) +
                        e.get(metric::kGlobalStoreSectors).value_or(0);
  return 1 - std::clamp(*all - global, 0.0, local.sectors()) / *all;
}

/// Local memory that leaves the L2: of the traffic of DRAM, as much as of that of the L2.
double dram_left(const Evidence& e, const Local& local) {
  const double moved = e.get(metric::kDramRead).value_or(0) + e.get(metric::kDramWrite).value_or(0);
  if (!local.executed || moved <= 0) return 1;
  const double global = (e.get(metric::kGlobalLoadSectors).value_or(0) +
                         e.get(metric::kGlobalStoreSectors).value_or(0)) *
                        kSector;
  return std::clamp(std::max(l2_left(e, local), std::min(1.0, global / moved)), 0.0, 1.0);
}

/// Of the integer instructions, when the addresses of local accesses go.
double integer_left(const Evidence& e, const Local& local) {
  const double integer = e.get(metric::kIntegerInst).value_or(0);
  return integer > 0 ? std::max(0.0, 1 - local.accesses() * kLanes / integer) : 1;
}

double latency_left(const Evidence& e, const Local& local) {
  const std::optional<Stalls> stalls = stalls_of(e.kernel);
  const std::optional<double> waits = stalls ? stalls->of(Stall::kLongScoreboard) : std::nullopt;
  const double loads = local.loads / kSectorsPerLine;
  const double all = loads + e.get(metric::kGlobalLoadRequests).value_or(0);
  return waits && all > 0 ? 1 - *waits * loads / all : 1;
}

/// Share of the kernel's time that goes with these accesses.
double share_of_time(const Evidence& e, const Local& local, const ResourceTimes& times) {
  if (local.sectors() <= 0) return 0;
  const double instructions = e.get(metric::kInstructions).value_or(0);
  const double issue = instructions > 0 ? 1 - kInstPerAccess * local.accesses() / instructions : 1;
  return share_won(times, {.dram = dram_left(e, local),
                           .l2 = l2_left(e, local),
                           .l1 = l1_left(e, local),
                           .issue = std::max(issue, 1 / kCap),
                           .pipe = pipe_left(e, integer_left(e, local)),
                           .latency = latency_left(e, local)});
}

/// The same for accesses that the times do not contain yet.
double share_on_top(const Evidence& e, const Local& local, const ResourceTimes& times) {
  if (local.sectors() <= 0) return 0;
  const double instructions = e.get(metric::kInstructions).value_or(0);
  const double issue = instructions > 0 ? 1 + kInstPerAccess * local.accesses() / instructions : 1;
  const double with =
      std::max({times.total, times.of(Resource::kL1) / std::max(l1_left(e, local), 1 / kCap),
                times.of(Resource::kIssue) * issue});
  return 1 - times.total / with;
}

/// How many blocks an SM can hold when a thread keeps what it spills in registers.
std::string residency(const Evidence& e, double needed) {
  std::optional<vgpu::BlockResources> block = block_of(e.kernel);
  if (!block || needed > e.device.registers_per_thread) return "";
  const int now = vgpu::occupancy(e.device, *block).blocks_per_sm;
  block->registers = static_cast<unsigned>(needed);
  const int then = vgpu::occupancy(e.device, *block).blocks_per_sm;
  if (then == 0) return "";
  return fmt::format(
      "; with {:.0f} registers, as many as it can need, {} instead of {} blocks fit on an SM",
      needed, then, now);
}

std::vector<Prescription> keep_in_registers(const Evidence& e) {
  const double registers = registers_of(e);
  const double needed = registers + spilled_values(e);
  const Prescription fewer{
      std::string(action::kFewerRegisters),
      "Keep fewer values alive: a smaller register tile or less unrolling, cheap values computed "
      "again, values that are needed late held in shared memory.",
      {}};
  if (registers >= kAllRegisters) return {fewer};
  return {{std::string(action::kLaunchBounds),
           fmt::format("{:.0f} registers a thread come from the launch bounds or the block size: "
                       "loosen them{}.",
                       registers, residency(e, needed)),
           fmt::format("__launch_bounds__({:.0f})", e.get(metric::kBlockSize).value_or(256))},
          fewer};
}

std::vector<Prescription> index_by_constants(double stack) {
  const Prescription shared{
      std::string(action::kTableToShared),
      "Or keep it in shared memory: a table that all threads read once for each block, an array of "
      "each thread as [i][threadIdx.x].",
      "__shared__ float mine[N][BLOCK];  // mine[i][threadIdx.x]"};
  Prescription constant{
      std::string(action::kConstantIndex),
      "Unroll the loops over the array fully and index it by constants only; select an element by "
      "comparing, so that the array can live in registers.",
      "#pragma unroll\nfor (int j = 0; j < N; ++j) value = j == at ? array[j] : value;"};
  if (stack > kMostInRegisters) return {shared, constant};
  return {constant, shared};
}

class RegisterSpill final : public Tool {
 public:
  About about() const override {
    return {"register_spill",
            "registers that the compiler spills, or an array of each thread in local memory "
            "because its index is not constant, when these accesses take a share of the time; "
            "spills of 32 bytes or more also where nobody could count their accesses",
            "local memory is off-chip memory behind the L1: each use is a load or a store",
            "looser launch bounds or fewer values alive; full unrolling and constant indices",
            "spills lie outside of the loops, or buy occupancy that hides latency: measure both; "
            "the virtual GPU charges nothing for spills, so that their number alone is known there",
            "CUDA C++ Best Practices Guide (local memory); register spilling in Nsight Compute"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override { return boundness != Boundness::kLaunch; }

  Verdict examine(const Evidence& e) const override {
    const std::optional<double> spilled_bytes = e.get(metric::kSpillBytes);
    const std::optional<double> stack = e.get(metric::kStackBytes);
    const Local local = local_of(e);
    const bool spills = spilled_bytes.value_or(0) > 0;
    if (!spills && spilled_bytes && stack && *stack <= 0) return Silent{};
    if (!spills && !local.known) {
      if (!stack) return unknown(metric::kStackBytes);
      return unknown(spilled_bytes ? metric::kLocalLoadSectors : metric::kSpillBytes);
    }
    if (!spills && local.sectors() <= 0) return Silent{};
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    if (!spills && (!spilled_bytes || !stack)) return uncertain(e, local, *times);
    return spills && !arrays_only(e, local) ? spilled(e, local, *times) : indexed(e, local, *times);
  }

 private:
  Verdict spilled(const Evidence& e, const Local& local, const ResourceTimes& times) const {
    const double bytes = e.get(metric::kSpillBytes).value_or(0);
    const Local most = local.executed ? local : spills_in_loops(e);
    const double share =
        local.executed ? share_of_time(e, local, times) : share_on_top(e, most, times);
    std::optional<Severity> least;
    if (!local.executed && bytes >= kLeastSpill) {
      const bool many = spilled_values(e) >= kManySpills * registers_of(e);
      least = many ? Severity::kWarning : Severity::kInfo;
    }
    std::optional<Finding> finding =
        weigh(e, about().name, share, local.executed ? kCountedCap : kCap, least);
    if (!finding) return Silent{};
    if (!local.executed) finding->severity = std::min(finding->severity, Severity::kWarning);
    finding->spots = local_lines(e);
    finding->saw = fmt::format(
        "The compiler spills: loads and stores of {:.0f} bytes in the code of a thread that has "
        "{:.0f} registers{}.",
        bytes, registers_of(e), places(finding->spots));
    finding->costs =
        local.executed
            ? fmt::format("{} sectors of local memory; {:.0f} % of the kernel's time could go.",
                          format_count(local.sectors()), 100 * share)
            : fmt::format(
                  "Each runs through the L1 as often as the code around it: {} sectors if "
                  "that is once, about {} if it is the loops, which nobody counted here.",
                  format_count(spills_at_least(e).sectors()), format_count(most.sectors()));
    finding->prescriptions = keep_in_registers(e);
    finding->grade = grade_with_times(e.kernel, kUsed);
    return *std::move(finding);
  }

  Verdict indexed(const Evidence& e, const Local& local, const ResourceTimes& times) const {
    const double stack = e.get(metric::kStackBytes).value_or(0);
    const double share = share_of_time(e, local, times);
    std::optional<Finding> finding =
        weigh(e, about().name, share, local.executed ? kCountedCap : kCap);
    if (!finding) return Silent{};
    finding->spots = local_lines(e);
    finding->saw = fmt::format(
        "Each thread keeps {:.0f} bytes in local memory, more than spills explain: an array whose "
        "index is not constant. {} sectors are loaded and {} stored{}.",
        stack, format_count(local.loads), format_count(local.stores), places(finding->spots));
    finding->costs = fmt::format(
        "Registers have no index: each access goes through the L1, and stores on to the L2; {:.0f} "
        "% of the kernel's time.",
        100 * share);
    finding->prescriptions = index_by_constants(stack);
    constexpr std::array kSectors{metric::kLocalLoadSectors, metric::kLocalStoreSectors};
    finding->grade = grade_with_times(e.kernel, kSectors);
    return *std::move(finding);
  }

  /// Local memory is used, and no compiler said whether spills or arrays use it.
  Verdict uncertain(const Evidence& e, const Local& local, const ResourceTimes& times) const {
    const double share = share_of_time(e, local, times);
    std::optional<Finding> finding =
        weigh(e, about().name, share, local.executed ? kCountedCap : kCap);
    if (!finding) return Silent{};
    const double inner = e.get(metric::kSassInnerLocal).value_or(0);
    finding->spots = local_lines(e);
    finding->saw = fmt::format(
        "{} sectors of local memory are loaded and {} stored by threads of {:.0f} registers{}{}: "
        "registers that the compiler spills, or an array whose index is not constant.",
        format_count(local.loads), format_count(local.stores), registers_of(e),
        inner > 0 ? fmt::format(" ({:.0f} accesses in the inner loops)", inner) : "",
        places(finding->spots));
    finding->costs = fmt::format(
        "Local memory is off-chip memory behind the L1; {:.0f} % of the kernel's time could go.",
        100 * share);
    finding->prescriptions = keep_in_registers(e);
    finding->prescriptions.push_back(index_by_constants(0).front());
    finding->grade = grade_with_times(e.kernel, kUsed);
    return *std::move(finding);
  }

  static std::vector<SourceSpot> local_lines(const Evidence& e) {
    return worst_lines(e.kernel, [](const LineProfile& l) { return l.local_sectors; });
  }
};

}  // namespace

std::unique_ptr<Tool> make_register_spill() { return std::make_unique<RegisterSpill>(); }

}  // namespace kp::diagnose
