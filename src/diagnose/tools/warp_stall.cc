// SPDX-License-Identifier: Apache-2.0
// Sees:           one reason for which warps wait for more than 30 % of their time, in a kernel
// that
//                 latency bounds while issue slots are free.
// Costs because:  the warps that are there cannot fill the time in which each of them waits.
// Try:            by reason: more loads on their way, a warp for each row, shuffles instead of
// shared
//                 memory, independent accumulators, more work for each thread.
// Misleads when:  a more specific tool names the cause (silent), or the waiting is hidden by other
//                 warps (latency does not bound the kernel: silent).
// Source:         warp stall reasons of Nsight Compute; Little's law; GPA (arXiv 2009.04061).
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnose/access.h"
#include "diagnose/actions.h"
#include "diagnose/blocks.h"
#include "diagnose/bound.h"
#include "diagnose/spots.h"
#include "diagnose/stalls.h"
#include "diagnose/tool.h"

namespace kp::diagnose {
namespace {

constexpr double kLeastShare = 0.30;  // of a warp's time; Nsight Compute
constexpr double kIssueBusy = 0.80;   // issue slots used: warps hide what others wait for; Nsight
constexpr double kConflicts = 0.10;   // of the shared wavefronts: bank_conflict speaks
constexpr double kSpilling = 0.10;    // local sectors over global ones: register_spill speaks
constexpr double kBarriers = 0.15;    // of a warp's time: barrier_stall speaks
constexpr double kXu = 0.02;          // of the instructions: instruction_mix speaks
constexpr double kLoop = 4;           // loads of a thread: fewer are no loop, vector_access speaks
constexpr double kPacked = 24;        // used bytes of a sector; below: memory_coalescing speaks
constexpr double kStrided = 25;       // % of the loads side by side; below: a row for each lane
constexpr double kRowLoads = 8;       // loads of a thread that walks along a row
constexpr double kTileStores = 0.5;   // shared stores for each global load: tiles, no reduction
constexpr double kLanesPerWarp = 32;
constexpr double kTogether = 4;       // independent loads or accumulators that are prescribed
constexpr double kHalf = 0.5;         // of the waiting for shared memory goes; own
constexpr double kMostly = 0.60;      // of a warp's time for global data: nothing else to do; own
constexpr double kFullStream = 0.95;  // of the sustained bandwidth; bench/calibration
constexpr double kFewWarps = 0.5;     // of those that an SM can hold; Nsight Compute
constexpr double kCap = 4;            // speed-up; own

constexpr std::array kNeeds{metric::kIssueActive, metric::kInstructions};

/// What to say about one reason.
struct Remedy {
  double removed = 0;  // of the share waited for the reason
  std::string_view costs;
  std::vector<Prescription> prescriptions;
  double (*weight)(const LineProfile&) = nullptr;
};

double known(const Evidence& e, const MetricKey& key) { return e.get(key).value_or(0); }

/// Global loads of each thread; 0 when unknown.
double loads_per_thread(const Evidence& e) {
  const double warps = warps_of(e).value_or(0);
  return warps > 0 ? known(e, metric::kGlobalLoadInst) / warps : 0;
}

Prescription unroll(std::string_view text, std::string_view code) {
  return {std::string(action::kUnroll), std::string(text), std::string(code)};
}
Prescription row_per_warp() {
  return {std::string(action::kRowPerWarp),
          "Give each row to a warp, or to a block when rows are long: lanes read neighbours, 32 "
          "times as many warps are there, and shuffles join their results.",
          "for (int c = lane; c < columns; c += 32) sum += row[c];"};
}
Prescription table() {
  return {std::string(action::kTableToShared),
          "Where lanes look up a small table, copy it to shared memory once for each block.",
          {}};
}
Prescription read_only() {
  return {std::string(action::kReadOnlyLoads),
          "Mark the inputs `const ... __restrict__`, so that loads may move ahead of stores.",
          "const float* __restrict__ x"};
}
Prescription prefetch_tile() {
  return {std::string(action::kDoubleBuffer),
          "Load the next tile while this one is used: two buffers, or __pipeline_memcpy_async.",
          "__shared__ float tile[2][ROWS][COLUMNS];"};
}
Prescription more_blocks() {
  return {std::string(action::kMoreBlocks),
          "Split the work among more threads: the warps that are there do not fill the SMs.",
          {}};
}

Prescription nearer() {
  return {std::string(action::kReuseThroughShared),
          "Keep what is read again in shared memory or registers, so that fewer loads go that far.",
          {}};
}

/// Whether the loads on their way, one of each resident warp, are as many bytes as an SM can have
/// from DRAM in the time that one takes (Little's law); false when unknown.
bool enough_in_flight(const Evidence& e) {
  const std::optional<double> warps = e.get(metric::kWarpsActive);  // of a scheduler
  const std::optional<double> width = width_of(e, Direction::kLoad);
  const auto latency = e.device.model.find("latency_dram");
  if (!warps || !width || latency == e.device.model.end()) return false;
  const double seconds = latency->second / e.device.clock_hz;
  const double needed = e.device.dram_sustained * seconds / e.device.sm_count;
  return *warps * e.device.schedulers_per_sm * kLanesPerWarp * *width >= needed;
}

double loads(const LineProfile& l) { return l.global_requests; }
double shared(const LineProfile& l) { return l.shared_wavefronts; }
double instructions(const LineProfile& l) { return l.instructions; }

/// A thread for each row: the lanes of a load are a row apart.
Remedy for_rows() {
  return {1 - 1 / kRowLoads,
          "Each lane walks along a row of its own, so that few warps wait for one sector a lane",
          {row_per_warp(), table()},
          loads};
}

std::optional<Remedy> for_global_data(const Evidence& e) {
  const double local = known(e, metric::kLocalLoadSectors) + known(e, metric::kLocalStoreSectors);
  const double global =
      known(e, metric::kGlobalLoadSectors) + known(e, metric::kGlobalStoreSectors);
  const double each = loads_per_thread(e);
  if (local > kSpilling * global || each < kLoop) return std::nullopt;
  if (useful_bytes(e, Direction::kLoad).value_or(kPacked) < kPacked) {
    const bool strided = unit_stride_of(e, Direction::kLoad).value_or(100) < kStrided;
    return strided && each >= kRowLoads ? std::optional(for_rows()) : std::nullopt;
  }
  Remedy remedy{1 - 1 / kTogether,
                enough_in_flight(e)
                    ? "As many bytes are on their way as hide the latency of DRAM: what is left is "
                      "to load less, or to load what is used again from nearer"
                    : "Too few bytes are on their way at a time: each load waits for what came "
                      "before",
                {unroll("Load several elements before the first is used, each with an accumulator "
                        "of its own, and add the accumulators up at the end.",
                        "#pragma unroll\nfor (int j = 0; j < 4; ++j) sum[j] += x[i + j * step];")},
                loads};
  const bool tiles =
      known(e, metric::kBarrierInst) > 0 &&
      known(e, metric::kSharedStoreInst) >= kTileStores * known(e, metric::kGlobalLoadInst);
  if (tiles) remedy.prescriptions.insert(remedy.prescriptions.begin(), prefetch_tile());
  if (waves_of(e).value_or(1) < 1) remedy.prescriptions.push_back(more_blocks());
  if (enough_in_flight(e)) {
    remedy.removed = kHalf;
    remedy.prescriptions.insert(remedy.prescriptions.begin(), nearer());
  }
  remedy.prescriptions.push_back(read_only());
  return remedy;
}

bool has_bank_conflicts(const Evidence& e) {
  const double wavefronts =
      known(e, metric::kSharedLoadWavefronts) + known(e, metric::kSharedStoreWavefronts);
  const double conflicts =
      known(e, metric::kSharedLoadConflicts) + known(e, metric::kSharedStoreConflicts);
  return conflicts >= kConflicts * wavefronts && conflicts > 0;
}

bool is_transcendental(const Evidence& e) {
  return known(e, metric::kXuInst) >= kXu * kLanesPerWarp * *e.get(metric::kInstructions);
}

std::optional<Remedy> for_shared_memory(const Evidence& e, const Stalls& stalls) {
  const bool waits_at_barriers =
      stalls.of({Stall::kBarrier, Stall::kMembar}).value_or(0) >= kBarriers;
  if (has_bank_conflicts(e) || is_transcendental(e) || waits_at_barriers) return std::nullopt;
  if (known(e, metric::kSharedAtomInst) > known(e, metric::kSharedLoadInst)) return std::nullopt;
  Remedy remedy{kHalf,
                "Each round trip through shared memory or the shuffle unit takes 25 to 30 "
                "cycles, and the next one waits for it",
                {},
                shared};
  const Prescription chains = unroll(
      "Keep several independent values on their way: two rows, or two parts of the row, "
      "at a time.",
      "#pragma unroll 4");
  if (known(e, metric::kSharedLoadInst) <= 0) {
    remedy.prescriptions = {chains};
    remedy.weight = instructions;
    return remedy;
  }
  remedy.prescriptions = {
      {std::string(action::kRegisterTile),
       "Keep what is used again in registers: several outputs for each thread, wider shared loads.",
       "float4 row = *reinterpret_cast<const float4*>(&tile[r][c]);"},
      {std::string(action::kWarpShuffle),
       "Where lanes of one warp exchange values, shuffles need no shared memory.",
       "value = __shfl_xor_sync(~0u, value, offset);"},
      chains};
  return remedy;
}

Remedy for_fixed_latency(const Evidence& e) {
  Remedy remedy{1 - 1 / kTogether,
                "Each instruction needs the result of the one before, and there are too few warps "
                "to fill the cycles between",
                {unroll("Break the chain: several accumulators side by side, joined at the end.",
                        "a0 = fmaf(x0, y0, a0);  a1 = fmaf(x1, y1, a1);")},
                instructions};
  if (waves_of(e).value_or(1) < 1) remedy.prescriptions.push_back(more_blocks());
  return remedy;
}

Remedy for_drain() {
  return {kHalf,
          "A warp ends when its stores have left, and short threads wait for that each time",
          {{std::string(action::kGridStride),
            "Let each thread make several elements in a grid-stride loop.",
            "for (int i = first; i < n; i += gridDim.x * blockDim.x)"}},
          loads};
}

Remedy for_instructions() {
  return {kHalf,
          "The code is larger than the instruction cache, or jumps about in it",
          {{std::string(action::kTune), "Unroll less, and keep rare cases out of the loop.", {}}},
          instructions};
}

/// Absent when a more specific tool speaks about the reason.
std::optional<Remedy> remedy_for(Stall reason, const Evidence& e, const Stalls& stalls) {
  switch (reason) {
    case Stall::kLongScoreboard:
    case Stall::kLgThrottle:
      return for_global_data(e);
    case Stall::kShortScoreboard:
    case Stall::kMioThrottle:
      return for_shared_memory(e, stalls);
    case Stall::kFixedLatency:
      return for_fixed_latency(e);
    case Stall::kDrain:
      return for_drain();
    case Stall::kNoInstruction:
      return for_instructions();
    case Stall::kBarrier:
    case Stall::kMembar:
    case Stall::kMathPipe:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Whether registers or shared memory leave room for less than half of the warps: then
/// occupancy_limiter names the cause. On hardware only; the time model knows warps otherwise.
bool lacks_warps(const Evidence& e, const Stalls& stalls) {
  const std::optional<vgpu::BlockResources> block = block_of(e.kernel);
  if (!block || stalls.grade != Grade::kMeasured || waves_of(e).value_or(0) <= 1) return false;
  const vgpu::Occupancy now = vgpu::occupancy(e.device, *block);
  return now.fraction < kFewWarps &&
         (now.limiter() == "registers" || now.limiter() == "shared memory");
}

/// Share of the sustained bandwidth of a kernel that does little but wait for packed loads from
/// DRAM, its start left out; on hardware only.
std::optional<double> stream_use(const Evidence& e, const Stalls& stalls) {
  const std::optional<double> read = e.get(metric::kDramRead), written = e.get(metric::kDramWrite);
  const std::optional<double> time = e.get(metric::kDuration);
  const auto start = e.device.model.find("launch_overhead");
  if (stalls.grade != Grade::kMeasured || !read || !written || !time ||
      start == e.device.model.end() || *time <= start->second ||
      stalls.of(Stall::kLongScoreboard).value_or(0) < kMostly) {
    return std::nullopt;
  }
  const double seconds = (*time - start->second) * 1e-9;
  return (*read + *written) / seconds / e.device.dram_sustained;
}

class WarpStall final : public Tool {
 public:
  About about() const override {
    return {
        "warp_stall",
        "warps wait more than 30 % of their time for one reason, while latency bounds the "
        "kernel and less than 80 % of the issue slots are used; on hardware also 60 % for data of "
        "global memory while DRAM stays below 95 % of what it sustains",
        "the warps that are there cannot fill the time in which each of them waits",
        "by reason: several independent loads, a warp for each row, register tiles and "
        "shuffles instead of shared memory, independent accumulators, more work for each "
        "thread",
        "a more specific tool names the cause (bank_conflict, memory_coalescing, "
        "vector_access, register_spill, barrier_stall, atomic_contention, instruction_mix): "
        "then the tool is silent",
        "warp stall reasons of Nsight Compute; Little's law; GPA (arXiv 2009.04061)"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override { return boundness != Boundness::kLaunch; }

  Verdict examine(const Evidence& e) const override {
    const std::optional<Stalls> stalls = stalls_of(e.kernel);
    if (!stalls) return unknown(missing_stall());
    const std::optional<Stall> reason = stalls->dominant();
    if (!reason || *stalls->of(*reason) < kLeastShare) return Silent{};
    if (*e.get(metric::kIssueActive) >= kIssueBusy || lacks_warps(e, *stalls)) return Silent{};
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    const std::optional<Remedy> remedy = remedy_for(*reason, e, *stalls);
    if (!remedy) return Silent{};
    if (times->longest() != Resource::kLatency) {
      const bool below = times->of(Resource::kDram) >= kMostly * times->total;
      const std::optional<double> use = below ? stream_use(e, *stalls) : std::nullopt;
      if (!use || *use >= kFullStream) return Silent{};
      return said(e, *stalls, *reason, *remedy, 1 - *use / kFullStream);
    }
    return weighed(e, *stalls, *reason, *remedy, *times);
  }

 private:
  Verdict weighed(const Evidence& e, const Stalls& stalls, Stall reason, const Remedy& remedy,
                  const ResourceTimes& times) const {
    return said(e, stalls, reason, remedy,
                share_of_waiting(e, times, remedy.removed * *stalls.of(reason)));
  }

  Verdict said(const Evidence& e, const Stalls& stalls, Stall reason, const Remedy& remedy,
               double share) const {
    const double waiting = *stalls.of(reason);
    std::optional<Finding> finding = weigh(e, about().name, share, kCap);
    if (!finding) return Silent{};
    finding->spots = worst_lines(e.kernel, remedy.weight);
    finding->saw = fmt::format(
        "Warps wait {:.0f} % of their time for {}{}; {:.0f} % of the issue slots are used.",
        100 * waiting, name_of(reason), places(finding->spots), 100 * *e.get(metric::kIssueActive));
    finding->costs =
        fmt::format("{}; {:.0f} % of the kernel's time could go.", remedy.costs, 100 * share);
    finding->prescriptions = remedy.prescriptions;
    finding->grade = std::max(stalls.grade, grade_with_times(e.kernel, kNeeds));
    return *std::move(finding);
  }
};

}  // namespace

std::unique_ptr<Tool> make_warp_stall() { return std::make_unique<WarpStall>(); }

}  // namespace kp::diagnose
