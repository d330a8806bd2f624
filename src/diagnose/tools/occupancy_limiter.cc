// SPDX-License-Identifier: Apache-2.0
// Sees:           a kernel that waits for latency with less than 80 % of the warps an SM can hold,
//                 because of registers, shared memory or an odd block size.
// Costs because:  an SM hides latency by switching between resident warps.
// Try:            the next number of registers or bytes that lets one block more reside, or a block
//                 size that packs better.
// Misleads when:  the kernel has enough independent instructions per warp (issue slots are used:
//                 silent), or lives on tensor cores with few warps by design (silent).
// Source:         CUDA occupancy calculator; rule TheoreticalOccupancy of Nsight Compute; GPA
//                 (arXiv 2009.04061), parallel latency hiding.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "diagnose/actions.h"
#include "diagnose/blocks.h"
#include "diagnose/bound.h"
#include "diagnose/resources.h"
#include "diagnose/stalls.h"
#include "diagnose/tool.h"

namespace kp::diagnose {
namespace {

constexpr double kLowOccupancy = 0.80;  // of the warps; Nsight Compute
constexpr double kVeryLow = 0.50;       // below: may be critical
constexpr double kIssueBusy = 0.60;     // issue slots used; above: enough warps
constexpr double kTensorBusy = 60;      // %, tensor pipe; above: few warps by design
constexpr double kSqueeze = 0.75;       // of what a block uses today; below: spills, tiny tiles
constexpr double kStarved = 0.25;       // of the warps; own
constexpr double kDeepSqueeze = 0.5;    // of what such a block uses today; own
constexpr int kMostRungs = 4;           // further resident blocks to look at
constexpr double kAchievedGap = 10;     // points between theoretical and achieved; Nsight Compute
constexpr double kFewWait = 0.30;       // of a warp's time for global data; own
constexpr double kHidable = 0.40;       // of a warp's time that other warps can hide; own
constexpr double kEven = 0.90;          // mean over most cycles of the SMs; own
constexpr double kManyWaves = 8;        // of blocks, so that SMs end together; own
constexpr double kCap = 2;              // speed-up; own

constexpr std::array kNeeds{metric::kRegisters, metric::kBlockSize, metric::kSharedPerBlock,
                            metric::kIssueActive};

/// How to reach more resident warps.
struct Step {
  double fraction = 0;  // occupancy afterwards
  Prescription prescription;
};

Step step_to(const Evidence& e, vgpu::BlockResources block, Prescription prescription) {
  return {vgpu::occupancy(e.device, block).fraction, std::move(prescription)};
}

std::string per_sm(int blocks) { return fmt::format("{} block{}", blocks, blocks == 1 ? "" : "s"); }

/// What may be left of a resource for one resident block more, two more and so on, without cutting
/// it below `least`; the first entry is there even when it is below.
std::vector<std::int64_t> ladder(int blocks, std::int64_t least,
                                 const std::function<std::int64_t(int)>& allowed) {
  std::vector<std::int64_t> rungs;
  for (int more = 1; more <= kMostRungs; ++more) {
    const std::int64_t value = allowed(blocks + more);
    if (value <= 0 || (more > 1 && value < least)) break;
    rungs.push_back(value);
  }
  return rungs;
}

/// "56 allow 9, 48 allow 10".
std::string text_of(const std::vector<std::int64_t>& rungs, int blocks) {
  std::vector<std::string> parts;
  for (const std::int64_t value : rungs)
    parts.push_back(fmt::format("{} allow {}", value, ++blocks));
  return join(parts, ", ");
}

/// How far a resource may be cut. Where hardware shows that a quarter of the warps or fewer fit,
/// half is worth a try: whether it spills is measured too.
double squeeze(const Evidence& e, const vgpu::BlockResources& block) {
  const std::optional<Stalls> stalls = stalls_of(e.kernel);
  const bool measured = stalls && stalls->grade == Grade::kMeasured;
  const bool starved = vgpu::occupancy(e.device, block).fraction <= kStarved;
  return measured && starved ? kDeepSqueeze : kSqueeze;
}

std::optional<Step> fewer_registers(const Evidence& e, vgpu::BlockResources block, int blocks) {
  const auto least = static_cast<std::int64_t>(squeeze(e, block) * block.registers);
  const std::vector<std::int64_t> rungs = ladder(
      blocks, least, [&](int target) { return vgpu::registers_for(e.device, block, target); });
  if (rungs.empty()) return std::nullopt;
  std::string text = fmt::format("{} registers a thread limit residency to {} per SM; {}.",
                                 block.registers, per_sm(blocks), text_of(rungs, blocks));
  if (rungs.back() < least) {
    text += " That is a large cut: watch for spills, and prefer a smaller tile or less unrolling.";
  }
  block.registers = static_cast<unsigned>(rungs.back());
  return step_to(e, block,
                 {std::string(action::kLaunchBounds), std::move(text),
                  fmt::format("__launch_bounds__({}, {})", block.threads,
                              blocks + static_cast<int>(rungs.size()))});
}

std::optional<Step> less_shared(const Evidence& e, vgpu::BlockResources block, int blocks) {
  const auto least =
      static_cast<std::int64_t>(squeeze(e, block) * static_cast<double>(block.shared_bytes));
  const std::vector<std::int64_t> rungs =
      ladder(blocks, least, [&](int target) { return vgpu::shared_for(e.device, block, target); });
  if (rungs.empty()) return std::nullopt;
  std::string text = fmt::format(
      "{} bytes of shared memory a block limit residency to {} per SM; {}. Use a smaller tile or "
      "fewer "
      "stages, or reduce within a warp by shuffles.",
      block.shared_bytes, per_sm(blocks), text_of(rungs, blocks));
  block.shared_bytes = static_cast<std::uint64_t>(rungs.back());
  return step_to(e, block, {std::string(action::kLessShared), std::move(text), {}});
}

/// The block size that holds most warps with the same registers and, when there is shared memory,
/// the same bytes a thread.
std::optional<Step> other_block(const Evidence& e, const vgpu::BlockResources& block) {
  std::optional<Step> best;
  for (const unsigned threads : {128u, 256u, 512u, 64u}) {
    vgpu::BlockResources other = block;
    other.threads = threads;
    other.shared_bytes = block.shared_bytes * threads / block.threads;
    const double fraction = vgpu::occupancy(e.device, other).fraction;
    if (threads == block.threads || (best && fraction <= best->fraction)) continue;
    best = Step{fraction,
                {std::string(action::kBlockSize),
                 fmt::format("Use blocks of {} threads instead of {}: {:.0f} % of the warps fit.",
                             threads, block.threads, 100 * fraction),
                 {}}};
  }
  return best;
}

/// All ways out, best first; the order of equals is that of least change to the source.
std::vector<Step> steps_of(const Evidence& e, const vgpu::BlockResources& block,
                           const vgpu::Occupancy& now) {
  std::vector<Step> steps;
  for (std::optional<Step> step :
       {now.limit_registers == now.blocks_per_sm ? fewer_registers(e, block, now.blocks_per_sm)
                                                 : std::nullopt,
        now.limit_shared == now.blocks_per_sm ? less_shared(e, block, now.blocks_per_sm)
                                              : std::nullopt,
        other_block(e, block)}) {
    if (step && step->fraction > now.fraction) steps.push_back(*std::move(step));
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.fraction > b.fraction; });
  return steps;
}

/// Kernels around asynchronous products and bulk copies run with few warps by design, as long as
/// these wait for little else.
bool few_by_design(const Evidence& e) {
  const auto any = [&](std::initializer_list<MetricKey> keys) {
    return std::any_of(keys.begin(), keys.end(),
                       [&](const MetricKey& key) { return e.or_zero(key) > 0; });
  };
  if (!any({metric::kSassMmaWarpgroup, metric::kTensorWarpgroupInst, metric::kSassTma,
            metric::kTmaLoadInst})) {
    return false;
  }
  const std::optional<Stalls> stalls = stalls_of(e.kernel);
  return !stalls || stalls->of(Stall::kLongScoreboard).value_or(0) < kFewWait;
}

/// Whether warps wait for what more of them would hide; where stalls were measured.
bool waits(const Evidence& e) {
  const std::optional<Stalls> stalls = stalls_of(e.kernel);
  if (!stalls || stalls->grade != Grade::kMeasured) return true;
  return stalls->of({Stall::kLongScoreboard, Stall::kShortScoreboard, Stall::kFixedLatency})
             .value_or(1) > kHidable;
}

/// Whether the SMs were busy for the same time: places that are empty then are those between two
/// blocks of one SM.
bool even(const Evidence& e) {
  const std::optional<double> average = e.get(metric::kSmCyclesActiveAvg);
  const std::optional<double> most = e.get(metric::kSmCyclesActiveMax);
  if (average && most && *most > 0) return *average >= kEven * *most;
  return waves_of(e).value_or(0) >= kManyWaves;
}

class OccupancyLimiter final : public Tool {
 public:
  About about() const override {
    return {
        "occupancy_limiter",
        "less than 80 % of the warps that an SM can hold (below 50 %: may be critical), because of "
        "registers, shared memory or an odd block size, while latency bounds the kernel and less "
        "than "
        "60 % of the issue slots are used",
        "an SM hides latency by switching between resident warps",
        "the number of registers or bytes that lets one block more reside, or a block size that "
        "packs "
        "better, with the arithmetic",
        "warps have enough independent instructions, or tensor cores are busy with few warps by "
        "design: the tool is silent; fewer registers than the code needs spill",
        "CUDA occupancy calculator; rules TheoreticalOccupancy and AchievedOccupancy of Nsight "
        "Compute; GPA (arXiv 2009.04061)"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override {
    return boundness == Boundness::kMemory || boundness == Boundness::kLatency ||
           boundness == Boundness::kMixed;
  }

  Verdict examine(const Evidence& e) const override {
    const vgpu::BlockResources block = *block_of(e.kernel);
    const vgpu::Occupancy now = vgpu::occupancy(e.device, block);
    if (now.blocks_per_sm == 0) return NotApplicable{"a block does not fit on an SM"};
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    // Without a block in waiting, room for one more changes nothing; grids and tiny blocks are
    // launch_shape's.
    if (times->longest() != Resource::kLatency || *e.get(metric::kIssueActive) >= kIssueBusy ||
        e.or_zero(metric::kTensorPct) >= kTensorBusy || waves_of(e).value_or(2) <= 1 ||
        now.limiter() == "blocks" || few_by_design(e) || !waits(e)) {
      return Silent{};
    }
    return now.fraction < kLowOccupancy ? limited(e, block, now, *times) : uneven(e, now, *times);
  }

 private:
  Verdict limited(const Evidence& e, const vgpu::BlockResources& block, const vgpu::Occupancy& now,
                  const ResourceTimes& times) const {
    const std::vector<Step> steps = steps_of(e, block, now);
    if (steps.empty()) return Silent{};
    const double share = share_won(times, {.latency = now.fraction / steps.front().fraction});
    std::optional<Finding> finding = weigh(e, about().name, share, kCap);
    if (!finding) return Silent{};
    if (now.fraction >= kVeryLow)
      finding->severity = std::min(finding->severity, Severity::kWarning);
    finding->saw = fmt::format(
        "{} of {} warps fit on an SM ({:.0f} %), limited by {}; {:.0f} % of the issue slots are "
        "used.",
        now.blocks_per_sm * now.warps_per_block, e.device.warps_per_sm, 100 * now.fraction,
        now.limiter(), 100 * *e.get(metric::kIssueActive));
    finding->costs = fmt::format(
        "Too few resident warps to switch to while others wait; with {:.0f} % of them the kernel "
        "could "
        "take {:.0f} % less time.",
        100 * steps.front().fraction, 100 * share);
    for (const Step& step : steps) finding->prescriptions.push_back(step.prescription);
    finding->grade = grade_with_times(e.kernel);
    return *std::move(finding);
  }

  /// All SMs are busy for as long, so that the empty places are those between two blocks.
  static void short_blocks(Finding& finding) {
    finding.severity = Severity::kInfo;
    finding.costs = "Blocks are so short that their places stay empty until others have started.";
    finding.prescriptions = {
        {std::string(action::kWidenAccess),
         "Give each thread more to do: several neighbouring elements, in accesses of up to 16 "
         "bytes.",
         {}},
        {std::string(action::kGridStride),
         "Or start as many blocks as fit at once, and let each go on in a grid-stride loop.",
         {}}};
  }

  static void unequal_blocks(Finding& finding) {
    finding.costs = "Some blocks or warps end long before others, and their places stay empty.";
    finding.prescriptions = {
        {std::string(action::kGridStride),
         "Even out the work: smaller pieces in a grid-stride loop, or blocks of fewer threads.",
         {}}};
  }

  /// Enough room, but the SMs do not keep it full.
  Verdict uneven(const Evidence& e, const vgpu::Occupancy& now, const ResourceTimes& times) const {
    const std::optional<double> achieved = e.get(metric::kAchievedOccupancy);
    const double theoretical = 100 * now.fraction;
    if (!achieved || theoretical - *achieved <= kAchievedGap) return Silent{};
    const double share = share_won(times, {.latency = *achieved / theoretical});
    std::optional<Finding> finding = weigh(e, about().name, share, kCap);
    if (!finding) return Silent{};
    finding->saw = fmt::format("{:.0f} % of the warps could reside, {:.0f} % do on average.",
                               theoretical, *achieved);
    even(e) ? short_blocks(*finding) : unequal_blocks(*finding);
    constexpr std::array kUsed{metric::kAchievedOccupancy};
    finding->grade = grade_with_times(e.kernel, kUsed);
    return *std::move(finding);
  }
};

}  // namespace

std::unique_ptr<Tool> make_occupancy_limiter() { return std::make_unique<OccupancyLimiter>(); }

}  // namespace kp::diagnose
