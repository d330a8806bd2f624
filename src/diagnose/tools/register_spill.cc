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

#include "base/text.h"
#include "diagnose/actions.h"
#include "diagnose/blocks.h"
#include "diagnose/bound.h"
#include "diagnose/local_memory.h"
#include "diagnose/resources.h"
#include "diagnose/spots.h"
#include "diagnose/tool.h"

namespace kp::diagnose {
namespace {

constexpr double kLeastSpill = 32;        // bytes a thread that are worth a word unmeasured; own
constexpr double kManySpills = 0.25;      // of the registers; above: a warning unmeasured; own
constexpr double kMostInRegisters = 512;  // bytes of an array that registers can hold; own
constexpr double kCap = 4;                // speed-up where accesses are modelled; own
constexpr double kCountedCap = 16;        // where hardware counted them; own

constexpr std::array kNeeds{metric::kGridSize, metric::kBlockSize};
constexpr std::array kUsed{metric::kSpillBytes, metric::kStackBytes, metric::kLocalLoadSectors,
                           metric::kLocalStoreSectors};

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
    const LocalTraffic local = local_traffic(e);
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
  Verdict spilled(const Evidence& e, const LocalTraffic& local, const ResourceTimes& times) const {
    const double bytes = e.or_zero(metric::kSpillBytes);
    const LocalTraffic most = local.executed ? local : spills_in_loops(e);
    const double share =
        local.executed ? share_of_local(e, local, times) : share_on_top(e, most, times);
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

  Verdict indexed(const Evidence& e, const LocalTraffic& local, const ResourceTimes& times) const {
    const double stack = e.or_zero(metric::kStackBytes);
    const double share = share_of_local(e, local, times);
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
  Verdict uncertain(const Evidence& e, const LocalTraffic& local,
                    const ResourceTimes& times) const {
    const double share = share_of_local(e, local, times);
    std::optional<Finding> finding =
        weigh(e, about().name, share, local.executed ? kCountedCap : kCap);
    if (!finding) return Silent{};
    const double inner = e.or_zero(metric::kSassInnerLocal);
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
