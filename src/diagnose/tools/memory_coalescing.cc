// SPDX-License-Identifier: Apache-2.0
// Sees:           warps that use only a part of the 32-byte sectors they move.
// Costs because:  L1, L2 and DRAM move whole sectors; unused bytes take the same time as used ones.
// Try:            a tile through shared memory when one side is packed and the other is not; else
//                 lanes along the fastest axis; row pitches of a multiple of 32 bytes when lanes
//                 lie side by side.
// Misleads when:  all lanes read one address (a sector each request is the least there is), or the
//                 L1 serves the rest of the sector to later requests.
// Source:         CUDA C++ Best Practices Guide, coalesced access; GPA (arXiv 2009.04061); rules
//                 UncoalescedGlobalAccess and MemoryCacheAccessPattern of Nsight Compute.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnose/access.h"
#include "diagnose/actions.h"
#include "diagnose/bound.h"
#include "diagnose/resources.h"
#include "diagnose/spots.h"
#include "diagnose/stalls.h"
#include "diagnose/tool.h"
#include "diagnose/warp.h"

namespace kp::diagnose {
namespace {

constexpr double kRowLoads = 16;  // a thread that loads so often walks along something; own
constexpr double kPoor = 16;      // useful bytes a sector; below: may be critical; GPA
constexpr double kLeastExcess = 1 - 1 / 1.2;  // sectors 1.2 times the fewest possible
constexpr double kLeastTraffic = 0.10;        // of the kernel's global sectors, to count a side
constexpr double kQueues = 0.2;               // of a level in use, for requests to queue; own
constexpr double kOfWaiting = 0.5;            // of the waiting for sectors that nobody uses; own
constexpr double kCap = 8;                    // speed-up; own

constexpr std::array kNeeds{metric::kGlobalLoadSectors, metric::kGlobalStoreSectors};

struct Side {
  std::string_view name;
  double sectors = 0, requests = 0, useful = kSectorBytes;  // bytes a sector
  bool side_by_side = false;
  bool heavy = false;  // carries a fair part of the traffic

  /// The fewest sectors: as many as the useful bytes fill, and one for each request.
  double ideal() const {
    return std::min(sectors, std::max(requests, sectors * useful / kSectorBytes));
  }
  double excess() const { return sectors - ideal(); }
  double wavefronts(bool cured) const {
    return wavefronts_of(requests, cured && bad() ? ideal() : sectors);
  }
  bool bad() const { return heavy && useful < kPackedBytes && excess() >= kLeastExcess * sectors; }
  bool packed() const { return heavy && useful >= kPackedBytes; }

  std::string text() const {
    return fmt::format(
        "{} use {:.3g} of the 32 bytes of each sector they move ({} sectors for {} "
        "requests, {:.3g} each)",
        name, useful, format_count(sectors), format_count(requests), sectors / requests);
  }
};

/// Loads and stores; or the metric that is missing.
struct Access {
  std::array<Side, 2> sides;
  std::optional<MetricKey> missing;

  double sectors() const { return sides[0].sectors + sides[1].sectors; }
  double excess() const {
    double sum = 0;
    for (const Side& side : sides) sum += side.bad() ? side.excess() : 0;
    return sum;
  }
  double wavefronts(bool cured) const {
    return sides[0].wavefronts(cured) + sides[1].wavefronts(cured);
  }
  double worst() const {
    double worst = kSectorBytes;
    for (const Side& side : sides) worst = side.bad() ? std::min(worst, side.useful) : worst;
    return worst;
  }
  bool transposes() const {
    return (sides[0].bad() && sides[1].packed()) || (sides[1].bad() && sides[0].packed());
  }
  bool misaligned() const {
    return std::all_of(sides.begin(), sides.end(),
                       [](const Side& s) { return !s.bad() || s.side_by_side; });
  }
};

Side side_of(const Evidence& e, Direction direction, double all) {
  const AccessKeys& keys = keys_of(direction);
  Side side{.name = keys.name, .sectors = *e.get(keys.sectors)};
  if (side.sectors <= 0) return side;
  side.requests = e.get(keys.requests).value_or(side.sectors);
  side.useful = useful_bytes(e, direction).value_or(kSectorBytes);
  side.side_by_side = unit_stride_of(e, direction).value_or(0) >= kSideBySide;
  side.heavy = side.sectors >= kLeastTraffic * all;
  return side;
}

Access access_of(const Evidence& e) {
  const double all = *e.get(metric::kGlobalLoadSectors) + *e.get(metric::kGlobalStoreSectors);
  Access access{.sides = {side_of(e, Direction::kLoad, all), side_of(e, Direction::kStore, all)}};
  for (const Direction direction : {Direction::kLoad, Direction::kStore}) {
    const AccessKeys& keys = keys_of(direction);
    if (*e.get(keys.sectors) <= 0) continue;
    for (const MetricKey& key : {keys.requests, keys.bytes_per_sector}) {
      if (!e.get(key)) access.missing = key;
    }
  }
  return access;
}

/// What a warp waits less when its requests move only what is used: where stalls were measured, a
/// part of the time for which it waits for memory.
double latency_left(const Evidence& e, const Access& access, const ResourceTimes& times) {
  const std::optional<Stalls> stalls = stalls_of(e.kernel);
  if (!stalls || !e.get(metric::kWarpLatency)) return 1;
  // Where hardly anything moves, warps wait for each other's results and not in a queue.
  const double memory =
      std::max({times.of(Resource::kDram), times.of(Resource::kL2), times.of(Resource::kL1)});
  if (memory < kQueues * times.total) return 1;
  const double waits =
      stalls->of({Stall::kLongScoreboard, Stall::kLgThrottle, Stall::kDrain}).value_or(0);
  return 1 - kOfWaiting * waits * access.excess() / access.sectors();
}

/// What each level would still have to move if the bad sides were packed. A level below the L1 gets
/// less than the excess when the L1 already served the rest of a sector; the L1 itself works by
/// requests, and a request of few sectors takes no longer than one of a single sector.
double share_of_time(const Evidence& e, const Access& access, const ResourceTimes& times) {
  const double packed = access.sectors() - access.excess();
  Relief relief{.l1 = access.wavefronts(true) / access.wavefronts(false),
                .latency = latency_left(e, access, times)};
  if (const std::optional<double> l2 = e.get(metric::kL2SectorsFromL1); l2 && *l2 > 0) {
    relief.l2 = std::min(1.0, packed / *l2);
  }
  const double dram = e.or_zero(metric::kDramRead) + e.or_zero(metric::kDramWrite);
  if (dram > 0) relief.dram = std::min(1.0, packed * kSectorBytes / dram);
  return share_won(times, relief);
}

Prescription tile(const Side& strided) {
  return {std::string(action::kTileThroughShared),
          fmt::format("Stage a tile in shared memory and synchronise, so that the {} run along the "
                      "fastest axis too; pad the tile by one column.",
                      strided.name),
          "__shared__ float tile[32][33];\n"
          "tile[threadIdx.y][threadIdx.x] = in[y * width + x];\n"
          "__syncthreads();\n"
          "out[ty * height + tx] = tile[threadIdx.x][threadIdx.y];"};
}

Prescription swap_indices() {
  return {
      std::string(action::kSwapIndices),
      "Let neighbouring lanes touch neighbouring addresses: threadIdx.x along the fastest axis, "
      "separate arrays rather than an array of structures.",
      "const int column = blockIdx.x * blockDim.x + threadIdx.x;  // fastest axis"};
}

Prescription row_per_warp() {
  return {
      std::string(action::kRowPerWarp),
      "Where each thread walks along a row of its own, give the row to a warp or a block: lanes "
      "take neighbouring elements, and shuffles join what they found.",
      "for (int c = lane; c < cols; c += 32) sum += row[c];\n"
      "for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);"};
}

Prescription align_rows() {
  return {
      std::string(action::kAlignRows),
      "Lanes lie side by side but start inside a sector: make each warp start at a multiple of 32 "
      "bytes (row pitch, offset of the first element, or a scalar head before the aligned body).",
      {}};
}

std::vector<Prescription> prescriptions(const Evidence& e, const Access& access) {
  if (access.misaligned()) return {align_rows()};
  const bool shared = e.or_zero(metric::kSharedLoadInst) > 0;
  const Side& strided = access.sides[0].bad() ? access.sides[0] : access.sides[1];
  if (access.transposes() && !shared) return {tile(strided), swap_indices()};
  if (loads_per_thread(e) >= kRowLoads) return {row_per_warp(), swap_indices(), tile(strided)};
  return {swap_indices(), tile(strided)};
}

std::string saw(const Access& access, const std::vector<SourceSpot>& spots) {
  std::vector<std::string> parts;
  for (const Side& side : access.sides) {
    if (side.bad()) parts.push_back(side.text());
  }
  std::string text = "Global " + join(parts, "; global ") + places(spots);
  if (access.transposes()) {
    const Side& good = access.sides[0].bad() ? access.sides[1] : access.sides[0];
    text += fmt::format(", while {} are packed ({:.3g} bytes)", good.name, good.useful);
  }
  return text + ".";
}

class MemoryCoalescing final : public Tool {
 public:
  About about() const override {
    return {
        "memory_coalescing",
        "loads or stores that use less than 24 of the 32 bytes of a sector (below 16: may be "
        "critical) while fewer sectors could carry the same bytes",
        "L1, L2 and DRAM move whole sectors; unused bytes take the same time as used ones",
        "a tile through shared memory when one side is packed and the other strided, else lanes "
        "along the fastest axis; aligned rows when lanes already lie side by side",
        "all lanes read one address, or the L1 serves the rest of each sector to later requests: "
        "the share of time takes both into account",
        "CUDA C++ Best Practices Guide (coalesced access); GPA (arXiv 2009.04061); rules "
        "UncoalescedGlobalAccess and MemoryCacheAccessPattern of Nsight Compute"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override {
    return boundness == Boundness::kMemory || boundness == Boundness::kLatency ||
           boundness == Boundness::kMixed;
  }

  Verdict examine(const Evidence& e) const override {
    const Access access = access_of(e);
    if (access.missing) return unknown(*access.missing);
    if (access.excess() <= 0) return Silent{};
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    const double share = share_of_time(e, access, *times);
    std::optional<Finding> finding = weigh(e, about().name, share, kCap);
    if (!finding) return Silent{};
    if (access.worst() >= kPoor)
      finding->severity = std::min(finding->severity, Severity::kWarning);
    finding->spots = worst_lines(
        e.kernel, [](const LineProfile& l) { return l.global_sectors - l.ideal_sectors; });
    finding->saw = saw(access, finding->spots);
    finding->costs = fmt::format(
        "Caches and DRAM move whole sectors: {:.0f} % of the global sectors carry nothing that is "
        "used, "
        "{:.0f} % of the kernel's time.",
        100 * access.excess() / access.sectors(), 100 * share);
    finding->prescriptions = prescriptions(e, access);
    constexpr std::array kUsed{metric::kGlobalLoadSectors, metric::kGlobalStoreSectors,
                               metric::kLoadBytesPerSector, metric::kStoreBytesPerSector};
    finding->grade = grade_with_times(e.kernel, kUsed);
    return *std::move(finding);
  }
};

}  // namespace

std::unique_ptr<Tool> make_memory_coalescing() { return std::make_unique<MemoryCoalescing>(); }

}  // namespace kp::diagnose
