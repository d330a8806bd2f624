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

#include "diagnose/access.h"
#include "diagnose/actions.h"
#include "diagnose/bound.h"
#include "diagnose/matrix_use.h"
#include "diagnose/resources.h"
#include "diagnose/reuse.h"
#include "diagnose/spots.h"
#include "diagnose/tool.h"

namespace kp::diagnose {
namespace {

constexpr double kCap = 8;  // speed-up; own

constexpr std::array kNeeds{metric::kGlobalLoadRequests, metric::kGlobalLoadSectors,
                            metric::kSharedLoadWavefronts};

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
  if (product && *e.get(metric::kSharedLoadWavefronts) > global_wavefronts(e, Direction::kLoad)) {
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
        "(64 x 64 a warp on tensor cores) and four times what the task must move, or another "
        "kernel whose warps load at least four "
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
        e.floor.contraction ? reuse_in_contraction(e) : reuse_in_window(e, useful.value_or(0));
    if (!reuse) return Silent{};
    return finding_of(e, *reuse);
  }

 private:
  Verdict without_task(const Evidence& e, std::optional<double> useful) const {
    if (!useful && *e.get(metric::kGlobalLoadSectors) > 0) {
      return unknown(metric::kLoadBytesPerSector);
    }
    const std::optional<Reuse> reuse = reuse_without_task(e, useful.value_or(0));
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
