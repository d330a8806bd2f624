// SPDX-License-Identifier: Apache-2.0
// Sees:           operands of a contraction that are loaded again for each multiply-add, or a
//                 stencil whose threads load what their neighbours load, while L1, L2 or issue
//                 slots bound the kernel.
// Costs because:  the L1 serves one line a clock and SM where the lanes do four multiply-adds of a
//                 warp; a load and its address take issue slots too.
// Try:            several outputs a thread, so that a loaded value is used several times from a
//                 register; a tile in shared memory, so that a block loads each value once.
// Misleads when:  DRAM or arithmetic bound the kernel (the share of time takes that into account).
// Source:         Volkov, Better Performance at Lower Occupancy (2010); reuse of a tile: M N K
//                 (1 / BM + 1 / BN) elements; four times the compulsory bytes: own.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnose/access.h"
#include "diagnose/actions.h"
#include "diagnose/bound.h"
#include "diagnose/mix.h"
#include "diagnose/resources.h"
#include "diagnose/spots.h"
#include "diagnose/stalls.h"
#include "diagnose/tool.h"

namespace kp::diagnose {
namespace {

constexpr double kLanes = 32;
constexpr double kSector = 32;              // bytes
constexpr double kSectorsPerWavefront = 4;  // 128 bytes per clock and SM
constexpr double kSlack = 2;                // times what a tile allows, to be worth a word
constexpr double kRegisterTile = 8;         // outputs a thread along each side
constexpr double kFromRegisters = 2 / kRegisterTile;  // wavefronts a multiply-add of a warp
constexpr double kFromFragments = 1.0 / 32;  // the same for tensor cores: 64 x 64 outputs a warp
constexpr double kBlockTile = 64;            // outputs a block along each side, at least
constexpr double kLeastReuse = 4;            // loads of each compulsory byte, to be worth a word
constexpr double kWindowReuse = 2;           // the same when a thread has several outputs; own
constexpr double kRepeated = 8;      // loads of each byte from DRAM, where no task says more; own
constexpr double kLeastLeft = 0.25;  // of the loads of a window; own
constexpr double kOnTensorCores = 0.1;  // % of the pipe; constants are moved by it as well
constexpr double kMoves = 0.3;          // of a level in use, for loads to cost time; own
constexpr double kOfWaiting = 0.5;      // of the waiting for loads; own
constexpr double kHalo = 1.5;           // bytes of a tile with its border over those without
constexpr double kCap = 8;              // speed-up; own

constexpr std::array kNeeds{metric::kGlobalLoadRequests, metric::kGlobalLoadSectors,
                            metric::kSharedLoadWavefronts};

/// What of the loads is repeated, and how many of them must stay.
struct Reuse {
  double left = 1;       // of the loads, when each value is used several times
  double l2_bytes = 0;   // that tiles would still load
  std::string evidence;  // what was seen, without places
};

double global_wavefronts(const Evidence& e) {
  return std::max(*e.get(metric::kGlobalLoadRequests),
                  *e.get(metric::kGlobalLoadSectors) / kSectorsPerWavefront);
}

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

bool on_tensor_cores(const Evidence& e) {
  return e.get(metric::kTensorPct).value_or(0) >= kOnTensorCores;
}

/// Absent when each load already serves several multiply-adds.
std::optional<Reuse> contraction(const Evidence& e) {
  const double products = *e.floor.flops / 2;
  const double steps = products / kLanes;  // multiply-adds of a whole warp
  const double shared = *e.get(metric::kSharedLoadWavefronts);
  const double now = (global_wavefronts(e) + shared) / steps;
  const double target = on_tensor_cores(e) ? kFromFragments : kFromRegisters;
  if (now < kSlack * target) return std::nullopt;
  const double tiled = 2 * products / kBlockTile * operand_bytes(e.floor.precision);
  return Reuse{target / now, std::max(e.floor.bytes, tiled),
               fmt::format("The contraction takes {:.3g} wavefronts of loads for 32 multiply-adds "
                           "({} of global, {} of shared memory); {} outputs {} need {:.2g}",
                           now, format_count(global_wavefronts(e)), format_count(shared),
                           on_tensor_cores(e) ? "64 x 64" : "8 x 8",
                           on_tensor_cores(e) ? "a warp" : "a thread", target)};
}

/// The same for what is no contraction: stencils and other windows.
std::optional<Reuse> window(const Evidence& e, double bytes_per_sector) {
  const double loaded = *e.get(metric::kGlobalLoadSectors) * bytes_per_sector;
  const double times = loaded / e.floor.bytes;
  if (times < kLeastReuse) return std::nullopt;
  return Reuse{std::max(kLeastLeft, kWindowReuse / times), kHalo * e.floor.bytes,
               fmt::format("Warps load {}, {:.3g} times the {} that the task must move: threads "
                           "load what their neighbours load",
                           format_bytes(loaded), times, format_bytes(e.floor.bytes))};
}

/// Without a task, what DRAM delivered stands for what has to be loaded.
std::optional<Reuse> repeated(const Evidence& e, double bytes_per_sector) {
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

/// Arithmetic stays, loads and what computes their addresses shrink.
double issue_left(const Evidence& e, double left) {
  double arithmetic = 0;
  for (const MetricKey& key :
       {metric::kFadd, metric::kFmul, metric::kFfma, metric::kDadd, metric::kDmul, metric::kDfma,
        metric::kHadd, metric::kHmul, metric::kHfma, metric::kXuInst}) {
    arithmetic += e.get(key).value_or(0) / kLanes;
  }
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

Relief relief_of(const Evidence& e, const Reuse& reuse, const ResourceTimes& times) {
  const double loads = global_wavefronts(e) + *e.get(metric::kSharedLoadWavefronts);
  const double stores = e.get(metric::kGlobalStoreRequests).value_or(0) +
                        e.get(metric::kSharedStoreWavefronts).value_or(0);
  Relief relief{.l1 = (loads * reuse.left + stores) / (loads + stores),
                .issue = issue_left(e, reuse.left),
                .pipe = on_tensor_cores(e) ? 1 : pipe_left(e, reuse.left),
                .latency = latency_left(e, reuse, times)};
  if (const std::optional<double> l2 = e.get(metric::kL2SectorsFromL1); l2 && *l2 > 0) {
    relief.l2 = std::min(1.0, reuse.l2_bytes / (*l2 * kSector));
  }
  return relief;
}

Prescription more_outputs(bool contraction) {
  if (!contraction) {
    return {std::string(action::kRegisterTile),
            "Give each thread several outputs side by side and keep the values that their windows "
            "share in registers.",
            "float sum[4] = {};  // four outputs down a column: each row is loaded once"};
  }
  return {std::string(action::kRegisterTile),
          "Give each thread a square of outputs, 4 x 4 to 8 x 8, and load its rows and columns "
          "once into registers: n + n values serve n n multiply-adds.",
          "float sum[8][8] = {};\n"
          "// for each k: 8 values of a and 8 of b, then\n"
          "for (int r = 0; r < 8; ++r)\n"
          "  for (int s = 0; s < 8; ++s) sum[r][s] += x[r] * y[s];"};
}

Prescription tile(bool contraction) {
  return {
      std::string(action::kReuseThroughShared),
      contraction
          ? "Let the block load a tile of each operand into shared memory once and synchronise, "
            "and take the operands from there."
          : "Let the block load its tile with the border into shared memory once and "
            "synchronise, and take the neighbours from there.",
      contraction ? "__shared__ float rows[K][BM], columns[K][BN];"
                  : "__shared__ float tile[BY + 2 * RADIUS][BX + 2 * RADIUS];"};
}

Prescription overlap() {
  return {std::string(action::kDoubleBuffer),
          "Load the next tile while the block computes with this one (two buffers, cp.async), so "
          "that one barrier for each tile is enough.",
          "__shared__ float rows[2][K][BM], columns[2][K][BN];"};
}

Prescription tensor_cores() {
  return {std::string(action::kTensorCores),
          "The class of the task allows half operands: let warps multiply tiles of them on the "
          "tensor cores and add up in single precision.",
          "wmma::mma_sync(sum, a, b, sum);  // 16 x 16 x 16, operands from shared memory"};
}

/// Whether tensor cores may do the products without losing what the class promises, and do not yet.
bool could_use_tensor_cores(const Evidence& e) {
  const bool half = e.floor.precision == Precision::kF16 || e.floor.precision == Precision::kBf16;
  return e.floor.contraction && half && !on_tensor_cores(e);
}

/// Whether tensor_core names the larger step: the class allows them, and there is work for them.
bool tensor_cores_first(const Evidence& e) {
  const bool allowed = e.floor.precision != Precision::kF32 && e.floor.precision != Precision::kF64;
  return e.floor.contraction && allowed && !on_tensor_cores(e) &&
         e.floor.intensity().value_or(0) >= e.device.scalar_flops_f32 / e.device.dram_sustained;
}

/// Registers relieve the L1 and the issue slots, shared memory what lies below the L1.
std::vector<Prescription> prescriptions(const Evidence& e, const ResourceTimes& times) {
  const bool product = e.floor.contraction;
  const Resource worst = times.longest();
  std::vector<Prescription> list;
  if (could_use_tensor_cores(e)) list.push_back(tensor_cores());
  list.push_back(more_outputs(product));
  if (product && *e.get(metric::kSharedLoadWavefronts) > global_wavefronts(e)) {
    list.push_back(overlap());
  } else {
    list.push_back(tile(product));
    const bool below_l1 = worst == Resource::kL2 || worst == Resource::kDram;
    if (below_l1) std::swap(list.back(), *(list.end() - 2));
  }
  return list;
}

class SharedMemTiling final : public Tool {
 public:
  About about() const override {
    return {
        "shared_mem_tiling",
        "a contraction that loads at least twice the operands that 8 x 8 outputs a thread would "
        "(64 x 64 a warp on tensor cores), or another kernel whose warps load at least four "
        "times the bytes that the task must move (without a task, eight times what comes from "
        "DRAM), while L1, L2, issue slots or latency bound "
        "it",
        "the L1 serves one line a clock and SM where the lanes do four multiply-adds of a "
        "warp, and each load takes issue slots for itself and its address",
        "several outputs a thread, so that values are used from registers; a tile in shared "
        "memory, so that a block loads each value once; two buffers once there is a tile",
        "DRAM or arithmetic bound the kernel: the tool is silent, however often values are "
        "loaded",
        "Volkov, Better Performance at Lower Occupancy (2010); CUDA C++ Best Practices Guide "
        "(shared memory in matrix multiplication)"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override { return boundness != Boundness::kLaunch; }

  Verdict examine(const Evidence& e) const override {
    if (e.floor.contraction && e.floor.flops.value_or(0) <= 0) {
      return NotApplicable{"the task does not state the FLOP of its contraction"};
    }
    const std::optional<double> useful = useful_bytes(e, Direction::kLoad);
    if (e.floor.bytes <= 0) return without_task(e, useful);
    if (!e.floor.contraction && !useful && *e.get(metric::kGlobalLoadSectors) > 0) {
      return unknown(metric::kLoadBytesPerSector);
    }
    const std::optional<Reuse> reuse =
        e.floor.contraction ? contraction(e) : window(e, useful.value_or(0));
    if (!reuse) return Silent{};
    return finding_of(e, *reuse);
  }

 private:
  Verdict without_task(const Evidence& e, std::optional<double> useful) const {
    if (!useful && *e.get(metric::kGlobalLoadSectors) > 0) {
      return unknown(metric::kLoadBytesPerSector);
    }
    const std::optional<Reuse> reuse = repeated(e, useful.value_or(0));
    if (!reuse) return Silent{};
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    // A level that is busy tells loads that cost time from those that others hide.
    if (times && times->longest() != Resource::kL1 && times->longest() != Resource::kL2) {
      return Silent{};
    }
    Verdict verdict = finding_of(e, *reuse);
    if (auto* finding = std::get_if<Finding>(&verdict)) {
      finding->severity = std::min(finding->severity, Severity::kWarning);
    }
    return verdict;
  }

  Verdict finding_of(const Evidence& e, const Reuse& reuse) const {
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    const double share = share_won(*times, relief_of(e, reuse, *times));
    std::optional<Finding> finding = weigh(e, about().name, share, kCap);
    if (!finding) return Silent{};
    if (tensor_cores_first(e)) finding->severity = std::min(finding->severity, Severity::kWarning);
    finding->spots = worst_lines(
        e.kernel, [](const LineProfile& l) { return l.global_requests + l.shared_requests; });
    finding->saw = reuse.evidence + places(finding->spots) + ".";
    finding->costs = fmt::format(
        "Each use of a value is a load again, with its address; the kernel waits for {}, and "
        "{:.0f} % of its time could go.",
        name_of(times->longest()), 100 * share);
    finding->prescriptions = prescriptions(e, *times);
    finding->grade = grade_with_times(e.kernel, kNeeds);
    return *std::move(finding);
  }
};

}  // namespace

std::unique_ptr<Tool> make_shared_mem_tiling() { return std::make_unique<SharedMemTiling>(); }

}  // namespace kp::diagnose
