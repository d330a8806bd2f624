// SPDX-License-Identifier: Apache-2.0
// Sees:           atomics that meet: lanes of a warp on one address, the whole grid on a few
//                 lines, or more of them than the L2's atomic units serve.
// Costs because:  additions to one address happen one after the other, whoever issues them.
// Try:            add up within the warp or block first; a private copy for each block or warp.
// Misleads when:  something else bounds the kernel (silent).
// Source:         CUDA C++ Best Practices Guide; warp-aggregated atomics; rates of the device spec.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnose/actions.h"
#include "diagnose/atomic_units.h"
#include "diagnose/bound.h"
#include "diagnose/spots.h"
#include "diagnose/stalls.h"
#include "diagnose/tool.h"
#include "diagnose/warp.h"

namespace kp::diagnose {
namespace {

constexpr double kMeet = 2;           // lanes on one address from which they meet; own
constexpr double kSameAddress = 4;    // lanes on one address: most of a warp adds to few; own
constexpr double kConcentrated = 2;   // time over that of additions spread evenly; own
constexpr double kPrivateShare = 16;  // additions to a private copy for one to the shared one; own
constexpr double kLeftWhenSpread = 0.5;  // of the additions, after grouping; own
constexpr double kOfDuration = 0.35;     // of the time, that atomics alone explain; own
constexpr double kOfDurationMet = 0.5;   // the same where each waits for the one before; own
constexpr double kExplains = 0.60;       // of the time in use elsewhere: atomics wait there; own
constexpr double kLeastSectors = 0.05;   // of the L2's sectors, and for each load; own
constexpr double kLeastWaiting = 0.30;   // of a warp's time; Nsight Compute
constexpr double kCap = 32;              // speed-up; own
// Speed-up where additions wait for each other and nothing else takes time: as many as lanes of
// four warps. The run's roof bounds it before.
constexpr double kCapMet = 128;

constexpr std::array kNeeds{metric::kGlobalAtomInst, metric::kGlobalRedInst,
                            metric::kSharedAtomInst};

struct Suspicion {
  double share = 0;  // of the kernel's time
  double cap = kCap;
  std::string saw, costs;
  std::vector<Prescription> prescriptions;
  Grade grade = Grade::kModelled;
};

Prescription aggregate(bool global) {
  return {std::string(action::kAggregateAtomics),
          global ? "Add up first, within the warp by shuffles and within the block through shared "
                   "memory, and let one thread of each block add the result; a grid-stride loop "
                   "leaves fewer blocks to add."
                 : "Let the lanes that have the same address elect one of them: __match_any_sync "
                   "finds them, __reduce_add_sync adds them up.",
          global ? "sum = warp_sum(sum);  if (lane == 0) atomicAdd(out, sum);"
                 : "const unsigned peers = __match_any_sync(__activemask(), bin);\n"
                   "if (lane == __ffs(peers) - 1) atomicAdd(&bins[bin], __popc(peers));"};
}

Prescription privatise(bool global) {
  return {std::string(action::kPrivatise),
          global
              ? "Give each block its own copy in shared memory, and add each entry to the global "
                "array once at the end; a grid-stride loop leaves fewer copies to add."
              : "Give each warp its own copy in shared memory, and add the copies up at the end.",
          global ? "__shared__ int mine[256];  atomicAdd(&mine[bin], 1);  __syncthreads();\n"
                   "atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);"
                 : "__shared__ int mine[WARPS][256];  atomicAdd(&mine[threadIdx.x / 32][bin], 1);"};
}

std::vector<Prescription> prescriptions(bool global, bool same_address) {
  std::vector<Prescription> list{aggregate(global), privatise(global)};
  if (!same_address) std::swap(list[0], list[1]);
  return list;
}

/// Blocks that add only once have aggregated already: fewer of them is what is left.
std::vector<Prescription> fewer_blocks() {
  return {
      {std::string(action::kGridStride),
       "Each block adds its result once already: launch a few blocks for each SM and let each "
       "take many pieces in a grid-stride loop before it adds.",
       "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"},
      {std::string(action::kAggregateAtomics),
       "Or let each block store its result, and let one more launch add them up without "
       "atomics.",
       {}}};
}

Prescription own_a_range() {
  return {std::string(action::kPrivatise),
          "Let each block own a range of the outputs: collect what belongs to it in shared memory, "
          "and store each output once, without atomics.",
          {}};
}
Prescription by_runs() {
  return {std::string(action::kAggregateAtomics),
          "Sort or group the additions by destination, add up each run, and add its sum once.",
          {}};
}

std::string lanes_text(std::optional<double> sharing) {
  if (!sharing || *sharing < 1.5) return "";
  return fmt::format(", {:.3g} lanes of a warp on one address", *sharing);
}

/// How the additions meet, and what is left of their time after the first prescription.
struct Meeting {
  bool same_address = false;  // within a warp
  bool concentrated = false;  // on few lines
  double left() const {
    if (same_address) return 1 / kLanesPerWarp;
    return concentrated ? 1 / kPrivateShare : kLeftWhenSpread;
  }
};

/// From the time that the L2's atomic units take in the time model.
std::optional<Suspicion> by_model(const Evidence& e, const ResourceTimes& times, double atomics) {
  const std::optional<double> spread = spread_time(e);
  const double sharing = e.get(metric::kGlobalAtomicSharing).value_or(1);
  const Meeting meeting{sharing >= kSameAddress, spread && atomics >= kConcentrated * *spread};
  const double traffic =
      e.or_zero(metric::kL2SectorsFromL1) * kSectorBytes / e.device.l2_bandwidth * 1e9;
  const double l2 = times.of(Resource::kL2);
  if (l2 <= 0) return std::nullopt;
  const double left = std::max(meeting.left() * atomics, std::min(traffic, l2));
  Suspicion s{.share = share_won(times, {.l2 = std::min(1.0, left / l2)})};
  s.saw = fmt::format("{} atomic instructions on global memory{}", format_count(global_atomics(e)),
                      lanes_text(sharing));
  s.costs = fmt::format("{}: the L2's atomic units need {} of the kernel's {}",
                        meeting.same_address || meeting.concentrated
                            ? "Additions to one address, or to one line, happen one after the other"
                            : "The L2 serves few additions a clock, however far apart they are",
                        format_duration_ns(atomics), format_duration_ns(times.total));
  s.prescriptions = prescriptions(true, meeting.same_address);
  if (!meeting.same_address && !meeting.concentrated) s.prescriptions = {own_a_range(), by_runs()};
  if (!meeting.same_address && one_for_each_block(e)) s.prescriptions = fewer_blocks();
  s.grade = grade_with_times(e.kernel, kNeeds);
  return s;
}

/// Share of a warp's time that goes by for memory, or for no reason that has a counter of its own:
/// reductions keep warps at their end.
double waiting_for_memory(const Stalls& stalls) {
  const double memory =
      stalls.of({Stall::kLongScoreboard, Stall::kLgThrottle, Stall::kMembar, Stall::kDrain})
          .value_or(0);
  double known = 0;
  for (const auto& share : stalls.shares) known += share.value_or(0);
  return memory + std::max(0.0, 1 - known);
}

/// From hardware: the time that the atomic units need for what they counted, where nothing else
/// explains the kernel's.
std::optional<Suspicion> by_counters(const Evidence& e, const ResourceTimes& times) {
  const std::optional<AtomicTimes> atomics = atomic_times(e);
  const std::optional<Stalls> stalls = stalls_of(e.kernel);
  const std::optional<double> duration = e.get(metric::kDuration);
  if (!atomics || !stalls || stalls->grade != Grade::kMeasured || !duration) return std::nullopt;
  const double others = std::max({times.of(Resource::kDram), times.of(Resource::kL1),
                                  times.of(Resource::kIssue), times.of(Resource::kPipe)});
  const bool full = atomics->spread >= kOfDuration * *duration;
  const bool meet = !full && atomics->met >= kOfDurationMet * *duration;
  // One addition for many loads has been grouped already.
  const double loads = e.or_zero(metric::kGlobalLoadInst);
  if (global_atomics(e) < kLeastSectors * loads) return std::nullopt;
  if ((!full && !meet) || others >= kExplains * times.total ||
      waiting_for_memory(*stalls) < kLeastWaiting) {
    return std::nullopt;
  }
  const double left = meet ? 1 / kPrivateShare : kLeftWhenSpread;
  Suspicion s{.share = share_won(times, {.l2 = left, .latency = left}),
              .cap = meet ? kCapMet : kCap};
  s.saw = fmt::format("{} atomic instructions on global memory", format_count(global_atomics(e)));
  s.costs = meet ? fmt::format(
                       "Additions to one address, or to one line, happen one after the "
                       "other, and nothing else explains the kernel's {}",
                       format_duration_ns(*duration))
                 : fmt::format(
                       "The L2 serves few additions a clock, however far apart they are: "
                       "{} of the kernel's {}",
                       format_duration_ns(std::min(atomics->spread, *duration)),
                       format_duration_ns(*duration));
  s.prescriptions = prescriptions(true, meet);
  if (full && !meet) s.prescriptions.push_back(by_runs());
  if (one_for_each_block(e)) s.prescriptions = fewer_blocks();
  s.grade = std::max(stalls->grade, grade_with_times(e.kernel, kNeeds));
  return s;
}

/// From what warps wait for, where no model knows the atomic units.
std::optional<Suspicion> by_stalls(const Evidence& e, const ResourceTimes& times) {
  const std::optional<double> atom = e.get(metric::kL2AtomSectors);
  const std::optional<double> red = e.get(metric::kL2RedSectors);
  const std::optional<double> all = e.get(metric::kL2SectorsFromL1);
  const std::optional<Stalls> stalls = stalls_of(e.kernel);
  if (!atom || !red || !all || *all <= 0 || !stalls) return std::nullopt;
  const double of_sectors = (*atom + *red) / *all;
  const std::optional<double> waiting =
      stalls->of({Stall::kLongScoreboard, Stall::kLgThrottle, Stall::kMembar});
  if (of_sectors < kLeastSectors || waiting.value_or(0) < kLeastWaiting) return std::nullopt;
  Suspicion s{.share = share_of_waiting(e, times, *waiting * std::min(1.0, of_sectors))};
  s.saw = fmt::format("{} atomic instructions on global memory are {:.0f} % of the L2's sectors",
                      format_count(global_atomics(e)), 100 * of_sectors);
  s.costs = fmt::format("Warps wait {:.0f} % of their time for global memory, atomics among it",
                        100 * *waiting);
  s.prescriptions = prescriptions(true, true);
  s.grade = std::max(stalls->grade, grade_with_times(e.kernel, kNeeds));
  return s;
}

std::optional<Suspicion> on_global(const Evidence& e, const ResourceTimes& times) {
  if (global_atomics(e) <= 0) return std::nullopt;
  const std::optional<double> atomics = e.get(metric::kModelAtomics);
  if (atomics) return by_model(e, times, *atomics);
  std::optional<Suspicion> counted = by_counters(e, times);
  return counted ? counted : by_stalls(e, times);
}

/// Lanes of which one after the other gets through a loop of load and compare-and-swap.
std::optional<Suspicion> by_tries(const Evidence& e, const ResourceTimes& times) {
  const std::optional<Tries> tries = shared_tries(e);
  if (!tries || tries->sharing < kMeet) return std::nullopt;
  Suspicion s{.share = share_won(times, {.l1 = tries->left, .issue = tries->left})};
  s.saw = fmt::format("{} tries of additions to shared memory, about {:.2g} lanes on one address",
                      format_count(*e.get(metric::kSharedAtomInst)), tries->sharing);
  s.costs =
      "Shared memory adds floats by compare-and-swap: lanes on one word go through one at a time, "
      "and the others try again";
  s.prescriptions = prescriptions(false, tries->sharing >= kSameAddress);
  s.grade = grade_with_times(e.kernel, kNeeds);
  return s;
}

/// Lanes that add to one word of shared memory take a wavefront each.
std::optional<Suspicion> on_shared(const Evidence& e, const ResourceTimes& times) {
  const double instructions = *e.get(metric::kSharedAtomInst);
  if (!e.get(metric::kSharedAtomicSharing)) return by_tries(e, times);
  const double sharing = e.get(metric::kSharedAtomicSharing).value_or(1);
  if (instructions <= 0 || sharing < kMeet) return std::nullopt;
  Suspicion s{.share = share_won(times, {.l1 = left_without_meeting(e, sharing)})};
  s.saw = fmt::format("{} atomic instructions on shared memory{}", format_count(instructions),
                      lanes_text(sharing));
  s.costs = "Lanes that add to one word of shared memory take one wavefront each";
  s.prescriptions = prescriptions(false, sharing >= kSameAddress);
  s.grade = grade_with_times(e.kernel, kNeeds);
  return s;
}

class AtomicContention final : public Tool {
 public:
  About about() const override {
    return {
        "atomic_contention",
        "atomics on global memory while the L2's atomic units bound the kernel: on one address "
        "(4 lanes of a warp or more), on few lines (twice the time of additions that spread "
        "evenly), or too many; shared atomics of which 2 lanes or more meet, while L1 and "
        "shared memory bound it (on hardware seen where floats are added by compare-and-swap); on "
        "hardware: what reached the L2's atomic units explains 35 % of "
        "the time (50 % if all of it met on one line) and nothing else does, or atomics are 5 % "
        "of the L2's sectors, and warps wait 30 % of their time for global memory",
        "additions to one address happen one after the other, whoever issues them",
        "one addition for each warp or block; a private copy in shared memory; outputs owned by "
        "blocks where additions spread",
        "something else bounds the kernel: then the tool is silent, however many atomics there "
        "are",
        "CUDA C++ Best Practices Guide; rates of atomics in the device spec"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override { return boundness != Boundness::kLaunch; }

  Verdict examine(const Evidence& e) const override {
    if (global_atomics(e) + *e.get(metric::kSharedAtomInst) <= 0) {
      return NotApplicable{"the kernel has no atomics"};
    }
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    std::optional<Suspicion> worst = on_global(e, *times);
    std::optional<Suspicion> shared = on_shared(e, *times);
    if (shared && (!worst || shared->share > worst->share)) worst = std::move(shared);
    if (!worst) return Silent{};
    std::optional<Finding> finding = weigh(e, about().name, worst->share, worst->cap);
    if (!finding) return Silent{};
    finding->spots = worst_lines(e.kernel, [](const LineProfile& l) { return l.atomics; });
    finding->saw = worst->saw + places(finding->spots) + ".";
    finding->costs =
        fmt::format("{}; {:.0f} % of its time could go.", worst->costs, 100 * worst->share);
    finding->prescriptions = std::move(worst->prescriptions);
    finding->grade = worst->grade;
    return *std::move(finding);
  }
};

}  // namespace

std::unique_ptr<Tool> make_atomic_contention() { return std::make_unique<AtomicContention>(); }

}  // namespace kp::diagnose
