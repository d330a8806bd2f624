// SPDX-License-Identifier: Apache-2.0
// Sees:           shared-memory wavefronts that exist only because lanes meet in a bank.
// Costs because:  shared memory serves one wavefront per clock and SM; n lanes in one bank take n.
// Try:            pad the row by one element; XOR the column where padding would cost a block.
// Misleads when:  another resource bounds the kernel; wide accesses need several wavefronts anyway
//                 (those are not counted as conflicts).
// Source:         CUDA C++ Best Practices Guide, shared memory; rule SharedMemoryConflicts of
// Nsight
//                 Compute.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnose/access.h"
#include "diagnose/actions.h"
#include "diagnose/blocks.h"
#include "diagnose/bound.h"
#include "diagnose/resources.h"
#include "diagnose/spots.h"
#include "diagnose/tool.h"

namespace kp::diagnose {
namespace {

constexpr double kLeastConflictShare = 0.10;  // of the wavefronts of one kind; Nsight Compute
constexpr double kCap = 8;                    // speed-up; own
constexpr double kBanks = 32;                 // of 4 bytes

constexpr std::array kNeeds{metric::kSharedLoadConflicts, metric::kSharedStoreConflicts,
                            metric::kSharedLoadWavefronts, metric::kSharedStoreWavefronts};

/// Loads or stores.
struct Side {
  std::string_view name;
  double conflicts = 0, wavefronts = 0;
  std::optional<double> instructions;
  double share() const { return wavefronts > 0 ? conflicts / wavefronts : 0; }
  bool bad() const { return share() >= kLeastConflictShare; }

  std::string text() const {
    std::string out =
        fmt::format("{} of {} wavefronts of shared {} ({:.0f} %) are bank conflicts",
                    format_count(conflicts), format_count(wavefronts), name, 100 * share());
    if (instructions && *instructions > 0) {
      out += fmt::format(", {:.3g} wavefronts an access", wavefronts / *instructions);
    }
    return out;
  }
};

struct Sides {
  Side load, store;
  double removable() const {
    return (load.bad() ? load.conflicts : 0) + (store.bad() ? store.conflicts : 0);
  }
  double wavefronts() const { return load.wavefronts + store.wavefronts; }
};

Sides sides_of(const Evidence& e) {
  return {{"loads", *e.get(metric::kSharedLoadConflicts), *e.get(metric::kSharedLoadWavefronts),
           e.get(metric::kSharedLoadInst)},
          {"stores", *e.get(metric::kSharedStoreConflicts), *e.get(metric::kSharedStoreWavefronts),
           e.get(metric::kSharedStoreInst)}};
}

/// Share of the kernel's time that goes with the conflicts.
double share_of_time(const Evidence& e, const Sides& sides, const ResourceTimes& times) {
  const double work = sides.wavefronts() + global_wavefronts(e, Direction::kLoad) +
                      global_wavefronts(e, Direction::kStore);
  return share_won(times, {.l1 = 1 - sides.removable() / work});
}

Prescription pad(std::optional<double> bytes) {
  std::string text =
      "Give each row of the shared array one more element, so that a column falls into "
      "different banks";
  if (bytes && *bytes > 0) {
    text += fmt::format(" ({:.0f} bytes more per block for rows of 32)", *bytes / kBanks);
  }
  return {std::string(action::kPadShared), text + ".", "__shared__ float tile[32][32 + 1];"};
}

Prescription swizzle() {
  return {std::string(action::kSwizzleShared),
          "XOR the column with the row when writing and when reading; needs no memory and keeps "
          "16-byte accesses aligned when whole 16-byte groups are permuted.",
          "tile[row][column ^ (row & 31)]"};
}

/// Whether a row of padding would cost a resident block.
bool padding_costs_a_block(const Evidence& e) {
  std::optional<vgpu::BlockResources> block = block_of(e.kernel);
  if (!block) return false;
  const int before = vgpu::occupancy(e.device, *block).blocks_per_sm;
  block->shared_bytes += block->shared_bytes / static_cast<std::uint64_t>(kBanks);
  return vgpu::occupancy(e.device, *block).blocks_per_sm < before;
}

std::vector<Prescription> prescriptions(const Evidence& e) {
  std::vector<Prescription> list{pad(e.get(metric::kSharedPerBlock)), swizzle()};
  if (padding_costs_a_block(e)) std::swap(list[0], list[1]);
  return list;
}

std::string saw(const Sides& sides, const std::vector<SourceSpot>& spots) {
  std::vector<std::string> parts;
  for (const Side& side : {sides.load, sides.store}) {
    if (side.bad()) parts.push_back(side.text());
  }
  return join(parts, "; ") + places(spots) + ".";
}

class BankConflict final : public Tool {
 public:
  About about() const override {
    return {
        "bank_conflict",
        "at least 10 % of the wavefronts of shared loads or stores are conflicts, and L1 and "
        "shared "
        "memory bound the kernel",
        "shared memory serves one wavefront per clock and SM; n lanes that meet in one bank take n",
        "pad the row by one element, or XOR the column where padding would cost a resident block",
        "another resource bounds the kernel: then the tool is silent, however many conflicts there "
        "are",
        "CUDA C++ Best Practices Guide (shared memory); rule SharedMemoryConflicts of Nsight "
        "Compute"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override { return boundness != Boundness::kLaunch; }

  Verdict examine(const Evidence& e) const override {
    const Sides sides = sides_of(e);
    if (sides.wavefronts() == 0) return NotApplicable{"the kernel does not use shared memory"};
    if (!sides.load.bad() && !sides.store.bad()) return Silent{};
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    const double share = share_of_time(e, sides, *times);
    std::optional<Finding> finding = weigh(e, about().name, share, kCap);
    if (!finding) return Silent{};
    finding->spots = worst_lines(e.kernel, [](const auto& l) { return l.shared_conflicts; });
    finding->saw = saw(sides, finding->spots);
    finding->costs = fmt::format(
        "Shared memory serves one wavefront per clock and SM; the conflicts take {:.0f} % of the "
        "kernel's time.",
        100 * share);
    finding->prescriptions = prescriptions(e);
    finding->grade = grade_with_times(e.kernel, kNeeds);
    return *std::move(finding);
  }
};

}  // namespace

std::unique_ptr<Tool> make_bank_conflict() { return std::make_unique<BankConflict>(); }

}  // namespace kp::diagnose
