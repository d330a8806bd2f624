// SPDX-License-Identifier: Apache-2.0
// Sees:           narrow loads and stores whose lanes lie side by side and are aligned, in a
//                 kernel that waits for issue slots, for the load/store unit or for latency while
//                 DRAM is not full.
// Costs because:  each access takes an issue slot and a request whatever its width, and narrow
//                 ones keep too few bytes in flight.
// Try:            one 128-bit access for 16 bytes of neighbours; then several independent loads.
// Misleads when:  DRAM is saturated (silent), or wider threads would leave SMs without work (the
//                 width is chosen so that a full wave remains).
// Source:         CUDA C++ Best Practices Guide; Little's law.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/text.h"
#include "diagnose/access.h"
#include "diagnose/actions.h"
#include "diagnose/blocks.h"
#include "diagnose/bound.h"
#include "diagnose/resources.h"
#include "diagnose/spots.h"
#include "diagnose/stalls.h"
#include "diagnose/tool.h"
#include "diagnose/warp.h"

namespace kp::diagnose {
namespace {

constexpr double kNarrow = 4;          // bytes a lane
constexpr double kWidest = 16;         // bytes a lane
constexpr double kRequestBytes = 128;  // that the L1 serves in one wavefront
constexpr double kMostExcess = 1.1;    // sectors over the fewest; 1.25 when off by one element of 4
constexpr double kLeastUnitStride =
    25;  // % of the accesses; the others read one address for all lanes
constexpr double kLeastEligible = 0.5;  // of the global access instructions
constexpr double kDramFull = 70;        // % of sustained; above: width cannot help
constexpr double kStreamRoof = 92;      // % of sustained that a wide stream reaches: copy_16b of
                                        // bench/calibration; measured on H200 SXM
constexpr double kMostEligible = 0.6;   // of a stream's accesses; own
constexpr double kIdleIssue = 0.60;     // of the issue slots: above, arithmetic is the cost; own
constexpr double kFewAccesses = 4;      // of a thread that is a stream's; own
constexpr double kOfWaiting = 0.5;      // of the waiting for global data; own
constexpr double kCap = 1.5;            // speed-up; own
constexpr double kManyElements = 8;
constexpr double kBytesCap = 3;  // where 8 elements or more fit into one access; own

constexpr std::array kNeeds{metric::kGlobalLoadInst, metric::kGlobalStoreInst,
                            metric::kInstructions};

struct Side {
  std::string_view name;
  double instructions = 0, width = kWidest, unit_stride = 0;
  double excess = 1;  // sectors over the fewest that the same bytes and requests need
  bool eligible() const {
    return instructions > 0 && width <= kNarrow && unit_stride >= kLeastUnitStride &&
           excess <= kMostExcess;
  }
  /// Wavefronts of the L1 for these accesses when each lane moves `times` as many bytes.
  double wavefronts(double times) const {
    const double bytes = width * times * kLanesPerWarp;
    return instructions / times * std::max(1.0, bytes / kRequestBytes);
  }
};

struct Access {
  std::array<Side, 2> sides;
  std::optional<MetricKey> missing;

  double instructions() const { return sides[0].instructions + sides[1].instructions; }
  double eligible() const {
    double sum = 0;
    for (const Side& side : sides) sum += side.eligible() ? side.instructions : 0;
    return sum;
  }
  double widest_eligible() const {
    double widest = 0;
    for (const Side& side : sides) widest = side.eligible() ? std::max(widest, side.width) : widest;
    return widest;
  }
};

/// The metric that is missing, or nothing.
std::optional<MetricKey> fill(const Evidence& e, Direction direction, Side& side) {
  const AccessKeys& keys = keys_of(direction);
  side.name = keys.name;
  side.instructions = *e.get(keys.instructions);
  if (side.instructions <= 0) return std::nullopt;
  for (const MetricKey& key : {keys.requests, keys.sectors, keys.bytes_per_sector}) {
    if (!e.get(key)) return key;
  }
  const std::optional<double> width = width_of(e, direction);
  const std::optional<double> stride = unit_stride_of(e, direction);
  if (!width) return keys.width;
  if (!stride) return keys.unit_stride;
  side.width = *width;
  side.unit_stride = *stride;
  const double sectors = *e.get(keys.sectors);
  side.excess = sectors / std::max(*e.get(keys.requests),
                                   sectors * *e.get(keys.bytes_per_sector) / kSectorBytes);
  return std::nullopt;
}

Access access_of(const Evidence& e) {
  Access access;
  const std::array directions{Direction::kLoad, Direction::kStore};
  for (std::size_t i = 0; i < directions.size(); ++i) {
    if (const auto missing = fill(e, directions[i], access.sides[i])) access.missing = missing;
  }
  return access;
}

bool has_atomics(const Evidence& e) {
  return e.or_zero(metric::kGlobalAtomInst) + e.or_zero(metric::kGlobalRedInst) > 0;
}

/// Threads that only bring a few elements from here to there, seen on hardware: what they cost
/// beyond DRAM is their number.
bool streams(const Evidence& e, const Access& access) {
  const std::optional<Stalls> stalls = stalls_of(e.kernel);
  const std::optional<double> warps = warps_of(e);
  if (!stalls || stalls->grade != Grade::kMeasured || !warps || *warps <= 0) return false;
  const bool alone = e.or_zero(metric::kSharedLoadInst) <= 0 && !has_atomics(e) &&
                     stalls->dominant() == Stall::kLongScoreboard;
  const bool idle = e.get(metric::kIssueActive).value_or(1) < kIdleIssue;
  return alone && idle && access.instructions() / *warps <= kFewAccesses &&
         access.eligible() > kMostEligible * access.instructions();
}

/// Percent of the sustained bandwidth while blocks run: a short kernel is not judged by its start.
double stream_use(const Evidence& e, double dram) {
  const double time = e.or_zero(metric::kDuration);
  const auto start = e.device.model.find("launch_overhead");
  const double running = start == e.device.model.end() ? time : time - start->second;
  return running > 0 ? std::min(kStreamRoof, dram * time / running) : dram;
}

/// What is left of a warp's waiting when one access does the work of `factor`: all of it shrinks in
/// the time model; where stalls were measured, the part that data of global memory causes.
double latency_left(const Evidence& e, double factor) {
  const std::optional<Stalls> stalls = stalls_of(e.kernel);
  if (!stalls || stalls->grade != Grade::kMeasured) return 1 / factor;
  if (has_atomics(e)) return 1;  // which warps wait for then
  const double waits = stalls->of({Stall::kLongScoreboard, Stall::kLgThrottle}).value_or(0);
  return 1 - waits * kOfWaiting * (1 - 1 / factor);
}

/// How many neighbours one lane should take: up to 16 bytes, but a full wave of blocks must remain.
double factor_of(const Evidence& e, const Access& access) {
  const double width = std::max(1.0, access.widest_eligible());
  const double by_width = kWidest / std::bit_ceil(static_cast<unsigned>(std::ceil(width)));
  const double by_waves = waves_of(e).value_or(by_width);
  if (by_waves < 2) return 1;
  return std::min(by_width, static_cast<double>(std::bit_floor(static_cast<unsigned>(by_waves))));
}

/// Percent of the sustained DRAM bandwidth that the kernel uses; absent when unknown.
std::optional<double> dram_use(const Evidence& e) {
  const std::optional<double> read = e.get(metric::kDramRead), write = e.get(metric::kDramWrite);
  const std::optional<double> time = e.get(metric::kDuration);
  if (!read || !write || !time || *time <= 0) return e.get(metric::kDramPct);
  return 100 * (*read + *write) / (*time * 1e-9) / e.device.dram_sustained;
}

Relief relief_of(const Evidence& e, const Access& access, double factor) {
  double l1 = 0, saved = 0;
  for (const Side& side : access.sides) {
    l1 += side.wavefronts(1);
    if (side.eligible()) saved += side.wavefronts(1) - side.wavefronts(factor);
  }
  l1 += e.or_zero(metric::kSharedLoadWavefronts) + e.or_zero(metric::kSharedStoreWavefronts);
  // Indices and bounds are computed once for all neighbours too.
  const double overhead = e.or_zero(metric::kIntegerInst) + e.or_zero(metric::kControlInst);
  const double once = access.eligible() + overhead / kLanesPerWarp;
  return {
      .l1 = 1 - saved / l1,
      .issue = std::max(1 / factor, 1 - once * (1 - 1 / factor) / *e.get(metric::kInstructions)),
      .latency = latency_left(e, factor)};
}

std::vector<Prescription> prescriptions(const Access& access, double factor) {
  const std::string_view code =
      access.widest_eligible() >= kNarrow
          ? "const float4 v = reinterpret_cast<const float4*>(in)[i];  // v.x, v.y, v.z, v.w"
          : "const uint2 v = reinterpret_cast<const uint2*>(in)[i];  // 8 bytes or 4 halves";
  return {
      {std::string(action::kWidenAccess),
       fmt::format(
           "Let each lane handle {:.0f} neighbouring elements with accesses of up to {:.0f} bytes; "
           "check the alignment, and do the tail one by one.",
           factor, access.widest_eligible() * factor),
       std::string(code)},
      {std::string(action::kUnroll),
       "Or give each thread several independent elements and issue their loads before the "
       "first use; "
       "mark the pointers `const ... __restrict__`.",
       "#pragma unroll 4"}};
}

std::string saw(const Access& access, const std::vector<SourceSpot>& spots, double dram) {
  std::vector<std::string> parts;
  for (const Side& side : access.sides) {
    if (!side.eligible()) continue;
    parts.push_back(fmt::format("{} {} move {:.3g} byte{} a lane, {:.0f} % of them side by side",
                                format_count(side.instructions), side.name, side.width,
                                side.width == 1 ? "" : "s", side.unit_stride));
  }
  return fmt::format("{}{}; DRAM is at {:.0f} % of what it sustains.", join(parts, "; "),
                     places(spots), dram);
}

class VectorAccess final : public Tool {
 public:
  About about() const override {
    return {
        "vector_access",
        "at least half of the global accesses move 4 bytes a lane or less, side by side and "
        "aligned, "
        "while DRAM is below 70 % of what it sustains and issue slots, the load/store unit or "
        "latency "
        "bound the kernel",
        "each access takes an issue slot and a request whatever its width, and narrow ones keep "
        "too "
        "few bytes in flight",
        "one 128-bit access for 16 bytes of neighbours; several independent loads in flight",
        "DRAM is saturated: wider accesses cannot add bandwidth, and the tool is silent; or wider "
        "threads would leave SMs without work: the width is chosen so that a full wave remains",
        "CUDA C++ Best Practices Guide; Little's law"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override {
    return boundness == Boundness::kMemory || boundness == Boundness::kLatency ||
           boundness == Boundness::kMixed;
  }

  Verdict examine(const Evidence& e) const override {
    const Access access = access_of(e);
    if (access.missing) return unknown(*access.missing);
    if (access.instructions() <= 0 || access.eligible() < kLeastEligible * access.instructions()) {
      return Silent{};
    }
    const std::optional<double> dram = dram_use(e);
    if (!dram) return unknown(metric::kDramPct);
    const double factor = factor_of(e, access);
    if (*dram >= kDramFull || factor < 2) return Silent{};
    return finding_of(e, access, factor, *dram);
  }

 private:
  Verdict finding_of(const Evidence& e, const Access& access, double factor, double dram) const {
    const Relief relief = relief_of(e, access, factor);
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    double share = share_won(*times, relief), cap = factor >= kManyElements ? kBytesCap : kCap;
    if (streams(e, access)) {
      // What remains is DRAM, or the instructions that each element needs however it came.
      const double issue = e.get(metric::kIssueActive).value_or(1) * relief.issue;
      share = 1 - std::max(stream_use(e, dram) / kStreamRoof, issue);
      cap = factor;
    }
    std::optional<Finding> finding = weigh(e, about().name, share, cap);
    if (!finding) return Silent{};
    finding->spots = worst_lines(e.kernel, [](const auto& l) { return l.global_requests; });
    finding->saw = saw(access, finding->spots, dram);
    finding->costs = fmt::format(
        "Each access costs an issue slot and a request whatever its width; the kernel waits for "
        "{}.",
        name_of(times->longest()));
    finding->prescriptions = prescriptions(access, factor);
    finding->grade = grade_with_times(e.kernel, kNeeds);
    return *std::move(finding);
  }
};

}  // namespace

std::unique_ptr<Tool> make_vector_access() { return std::make_unique<VectorAccess>(); }

}  // namespace kp::diagnose
