// SPDX-License-Identifier: Apache-2.0
#include "diagnose/remedy.h"

#include "diagnose/access.h"
#include "diagnose/actions.h"
#include "diagnose/blocks.h"
#include "diagnose/warp.h"

namespace kp::diagnose {
namespace {

constexpr double kConflicts = 0.10;  // of the shared wavefronts: bank_conflict speaks
constexpr double kSpilling = 0.10;   // local sectors over global ones: register_spill speaks
constexpr double kBarriers = 0.15;   // of a warp's time: barrier_stall speaks
constexpr double kXu = 0.02;         // of the instructions: instruction_mix speaks
constexpr double kLoop = 4;          // loads of a thread: fewer are no loop, vector_access speaks
constexpr double kStrided = 25;      // % of the loads side by side; below: a row for each lane
constexpr double kRowLoads = 8;      // loads of a thread that walks along a row
constexpr double kTileStores = 0.5;  // shared stores for each global load: tiles, no reduction
constexpr double kTogether = 4;      // independent loads or accumulators that are prescribed
constexpr double kHalf = 0.5;        // of the waiting for shared memory goes; own

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
  const double local = e.or_zero(metric::kLocalLoadSectors) + e.or_zero(metric::kLocalStoreSectors);
  const double global =
      e.or_zero(metric::kGlobalLoadSectors) + e.or_zero(metric::kGlobalStoreSectors);
  const double each = loads_per_thread(e);
  if (local > kSpilling * global || each < kLoop) return std::nullopt;
  if (useful_bytes(e, Direction::kLoad).value_or(kPackedBytes) < kPackedBytes) {
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
      e.or_zero(metric::kBarrierInst) > 0 &&
      e.or_zero(metric::kSharedStoreInst) >= kTileStores * e.or_zero(metric::kGlobalLoadInst);
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
      e.or_zero(metric::kSharedLoadWavefronts) + e.or_zero(metric::kSharedStoreWavefronts);
  const double conflicts =
      e.or_zero(metric::kSharedLoadConflicts) + e.or_zero(metric::kSharedStoreConflicts);
  return conflicts >= kConflicts * wavefronts && conflicts > 0;
}

bool is_transcendental(const Evidence& e) {
  return e.or_zero(metric::kXuInst) >= kXu * kLanesPerWarp * *e.get(metric::kInstructions);
}

std::optional<Remedy> for_shared_memory(const Evidence& e, const Stalls& stalls) {
  const bool waits_at_barriers =
      stalls.of({Stall::kBarrier, Stall::kMembar}).value_or(0) >= kBarriers;
  if (has_bank_conflicts(e) || is_transcendental(e) || waits_at_barriers) return std::nullopt;
  if (e.or_zero(metric::kSharedAtomInst) > e.or_zero(metric::kSharedLoadInst)) return std::nullopt;
  Remedy remedy{kHalf,
                "Each round trip through shared memory or the shuffle unit takes 25 to 30 "
                "cycles, and the next one waits for it",
                {},
                shared};
  const Prescription chains = unroll(
      "Keep several independent values on their way: two rows, or two parts of the row, "
      "at a time.",
      "#pragma unroll 4");
  if (e.or_zero(metric::kSharedLoadInst) <= 0) {
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

}  // namespace

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

}  // namespace kp::diagnose
