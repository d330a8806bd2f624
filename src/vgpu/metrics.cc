// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "vgpu/counters.h"
#include "vgpu/traffic.h"

namespace kp::vgpu {
namespace {

/// Sums over the instructions that moved data one way, in the blocks that ran.
struct Moved {
  double instructions = 0, lanes = 0;
  double requests = 0, sectors = 0, bytes = 0, lane_bytes = 0, unit_stride = 0;
  double wavefronts = 0, conflicts = 0;

  void add(const InstructionCount& executed, const AccessCount& access) {
    instructions += static_cast<double>(executed.issued);
    lanes += static_cast<double>(executed.lanes);
    requests += static_cast<double>(access.requests);
    sectors += static_cast<double>(access.sectors);
    bytes += static_cast<double>(access.bytes);
    lane_bytes += static_cast<double>(access.lane_bytes);
    unit_stride += static_cast<double>(access.unit_stride);
    wavefronts += static_cast<double>(access.wavefronts);
    conflicts += static_cast<double>(access.conflicts);
  }
};

/// What the assembler makes an asynchronous copy does not count among the loads and stores of
/// Nsight Compute's instruction metrics, nor do matrix loads from shared memory.
struct MemorySums {
  Moved global_load, global_store, global_atomic, global_reduction, global_copy;
  Moved local_load, local_store;
  Moved shared_load, shared_store, shared_atomic, shared_copy;

  MemorySums(const Program& program, const GridCounters& counters) {
    for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
      const AccessCount* count = access_count(program, counters, pc);
      if (count == nullptr || count->requests == 0) continue;
      const Instruction& instruction = program.code[pc];
      InstructionCount executed = counters.instructions()[pc];
      if (program.accesses[instruction.extra].fragment != kNone) executed.issued = count->requests;
      if (went_local(program, instruction, *count)) {
        (direction_of(instruction) == Direction::kStore ? local_store : local_load)
            .add(executed, *count);
      }
      if (went_global(program, instruction, *count))
        global(program, instruction).add(executed, *count);
      if (went_shared(*count))
        shared(instruction).add(shared_instructions(instruction, executed), *count);
    }
  }

 private:
  static InstructionCount shared_instructions(const Instruction& instruction,
                                              const InstructionCount& executed) {
    return instruction.kind == Kind::kMatrixLoad ? InstructionCount{} : executed;
  }
  Moved& global(const Program& program, const Instruction& instruction) {
    if (instruction.kind == Kind::kCopyAsync) return global_copy;
    const Direction direction = *direction_of(instruction);
    if (direction == Direction::kLoad) return global_load;
    if (direction == Direction::kStore) return global_store;
    return program.accesses[instruction.extra].returns ? global_atomic : global_reduction;
  }
  Moved& shared(const Instruction& instruction) {
    const Direction direction = *direction_of(instruction);
    if (direction == Direction::kAtomic) return shared_atomic;
    if (instruction.kind == Kind::kCopyAsync) return shared_copy;
    return direction == Direction::kStore ? shared_store : shared_load;
  }
};

/// Writes metrics, scaled to the grid.
class Writer {
 public:
  Writer(MetricSet& metrics, double scale) : metrics_(metrics), scale_(scale) {}
  void count(const MetricKey& key, double unscaled) { value(key, unscaled * scale_); }
  void value(const MetricKey& key, double value) { metrics_.set(key, value, Grade::kModelled); }
  /// Unknown when there is nothing to divide by.
  void ratio(const MetricKey& key, double numerator, double denominator) {
    if (denominator > 0) value(key, numerator / denominator);
  }

 private:
  MetricSet& metrics_;
  double scale_;
};

void write_global(Writer& writer, const MemorySums& sums) {
  const Moved &load = sums.global_load, &copy = sums.global_copy, &store = sums.global_store;
  const double loads = load.requests + copy.requests;
  writer.count(metric::kGlobalLoadInst, load.instructions);
  writer.count(metric::kGlobalLoadRequests, loads);
  writer.count(metric::kGlobalLoadSectors, load.sectors + copy.sectors);
  writer.ratio(metric::kLoadBytesPerSector, load.bytes, load.sectors);
  writer.ratio(metric::kLoadWidth, load.lane_bytes + copy.lane_bytes, load.lanes + copy.lanes);
  writer.ratio(metric::kLoadUnitStride, 100 * (load.unit_stride + copy.unit_stride), loads);
  writer.count(metric::kGlobalStoreInst, store.instructions);
  writer.count(metric::kGlobalStoreRequests, store.requests);
  writer.count(metric::kGlobalStoreSectors, store.sectors);
  writer.ratio(metric::kStoreBytesPerSector, store.bytes, store.sectors);
  writer.ratio(metric::kStoreWidth, store.lane_bytes, store.lanes);
  writer.ratio(metric::kStoreUnitStride, 100 * store.unit_stride, store.requests);
  writer.count(metric::kGlobalAtomInst, sums.global_atomic.instructions);
  writer.count(metric::kGlobalRedInst, sums.global_reduction.instructions);
  writer.ratio(metric::kGlobalAtomicSharing,
               sums.global_atomic.lane_bytes + sums.global_reduction.lane_bytes,
               sums.global_atomic.bytes + sums.global_reduction.bytes);
}

/// What a thread spills is local memory, too: a sector for each byte of a warp.
void write_local(Writer& writer, const Program& program, const GridCounters& counters,
                 const MemorySums& sums) {
  const auto warps = static_cast<double>(counters.warps);
  writer.count(metric::kLocalLoadSectors,
               sums.local_load.sectors + warps * static_cast<double>(program.spill_loads));
  writer.count(metric::kLocalStoreSectors,
               sums.local_store.sectors + warps * static_cast<double>(program.spill_stores));
}

void write_shared(Writer& writer, const MemorySums& sums) {
  writer.count(metric::kSharedLoadInst, sums.shared_load.instructions);
  writer.count(metric::kSharedLoadWavefronts, sums.shared_load.wavefronts);
  writer.count(metric::kSharedLoadConflicts, sums.shared_load.conflicts);
  writer.count(metric::kSharedStoreInst, sums.shared_store.instructions);
  writer.count(metric::kSharedStoreWavefronts, sums.shared_store.wavefronts);
  writer.count(metric::kSharedStoreConflicts, sums.shared_store.conflicts);
  writer.count(metric::kSharedAtomInst, sums.shared_atomic.instructions);
  writer.ratio(metric::kSharedAtomicSharing, sums.shared_atomic.lane_bytes,
               sums.shared_atomic.bytes);
}

void write_caches(Writer& writer, const GridCounters& counters) {
  // Half of the sectors lie behind the other partition of the L2, and atomics count there again.
  constexpr double kPartitions = 1.5;
  writer.ratio(metric::kL1HitRate,
               100 * static_cast<double>(counters.l1_hits + counters.l1_store_hits),
               static_cast<double>(counters.l1_sectors + counters.l1_store_sectors));
  const double reached =
      static_cast<double>(counters.l2_sectors) * counters.scale() - counters.l2_merged_sectors;
  writer.value(metric::kL2SectorsFromL1, reached);
  writer.ratio(metric::kL2HitRate, 100 * counters.l2_hits, reached);
  writer.count(metric::kL2AtomSectors, kPartitions * static_cast<double>(counters.atom_sectors));
  writer.count(metric::kL2RedSectors, kPartitions * static_cast<double>(counters.red_sectors));
  if (counters.atomic_hotness > 0) {
    writer.value(metric::kAtomicHotness, counters.atomic_hotness);
  }
  writer.value(metric::kDramRead, counters.dram_read_bytes);
  writer.value(metric::kDramWrite, counters.dram_evicted_bytes);
}

/// The floating-point counts are of operations as written; the others of the machine instructions
/// that the compiler is expected to make of them.
void write_classes(Writer& writer, const Program& program, const GridCounters& counters) {
  std::map<Class, double> lanes, machine_lanes;
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& instruction = program.code[pc];
    const auto active = static_cast<double>(counters.instructions()[pc].lanes);
    lanes[instruction.cls] += active;
    machine_lanes[instruction.cls] += active * instruction.sass;
  }
  writer.count(metric::kFadd, lanes[Class::kFadd]);
  writer.count(metric::kFmul, lanes[Class::kFmul]);
  writer.count(metric::kFfma, lanes[Class::kFfma]);
  writer.count(metric::kDadd, lanes[Class::kDadd]);
  writer.count(metric::kDmul, lanes[Class::kDmul]);
  writer.count(metric::kDfma, lanes[Class::kDfma]);
  writer.count(metric::kHadd, lanes[Class::kHadd]);
  writer.count(metric::kHmul, lanes[Class::kHmul]);
  writer.count(metric::kHfma, lanes[Class::kHfma]);
  writer.count(metric::kXuInst, lanes[Class::kTranscendental]);
  writer.count(metric::kIntegerInst, machine_lanes[Class::kInteger]);
  writer.count(metric::kConversionInst, machine_lanes[Class::kConversion]);
  writer.count(metric::kControlInst, machine_lanes[Class::kControl]);
  writer.count(metric::kMemoryInst, machine_lanes[Class::kMemory]);
}

void write_instructions(Writer& writer, const Program& program, const GridCounters& counters) {
  double issued = 0, lanes = 0, lanes_all = 0, barriers = 0;
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& instruction = program.code[pc];
    const InstructionCount& count = counters.instructions()[pc];
    issued += static_cast<double>(count.fetched) * instruction.sass;
    lanes += static_cast<double>(count.lanes) * instruction.sass;
    lanes_all += static_cast<double>(count.lanes_all) * instruction.sass;
    if (instruction.kind == Kind::kBarrier) barriers += static_cast<double>(count.issued);
  }
  constexpr double kWord = 4;  // bytes of a spilled register
  const auto spilled = static_cast<double>(program.spill_stores + program.spill_loads) / kWord;
  writer.count(metric::kInstructions, issued + static_cast<double>(counters.warps) * spilled);
  writer.ratio(metric::kThreadsPerInst, lanes_all, issued);
  writer.ratio(metric::kThreadsPredOnPerInst, lanes, issued);
  writer.count(metric::kBarrierInst, barriers);
}

}  // namespace

MetricSet metrics_of(const Program& program, const GridCounters& counters) {
  MetricSet metrics;
  Writer writer(metrics, counters.scale());
  const MemorySums sums(program, counters);
  write_global(writer, sums);
  write_local(writer, program, counters, sums);
  write_shared(writer, sums);
  write_caches(writer, counters);
  write_classes(writer, program, counters);
  write_instructions(writer, program, counters);
  writer.value(metric::kSampledPct, 100 / counters.scale());
  return metrics;
}

}  // namespace kp::vgpu
