// SPDX-License-Identifier: Apache-2.0
// An analytic model of time over counts: docs/time-model.md has the equations. It ranks candidates;
// it is not a measurement and has no confidence interval.
#pragma once
#include "base/result.h"
#include "model/device_spec.h"
#include "vgpu/counters.h"
#include "vgpu/occupancy.h"

namespace kp::vgpu {

struct ModelledTime {
  double total = 0;  // ns, launch overhead included
  /// What each resource alone would take, ns; `total` is at least the largest.
  double dram = 0, l2 = 0, l1 = 0, issue = 0, pipe = 0, latency = 0, launch = 0;
  double atomics = 0;  // of the L2's atomic units; `l2` is at least this
  double blocks = 0;   // giving out the blocks of the grid
};

struct LaunchShape {
  std::uint64_t blocks = 1;
  unsigned threads = 1;  // per block
  std::uint64_t shared_bytes = 0;
  unsigned registers = 0;  // per thread, from the compiler
};

/// The numbers of the table [model] of a device spec, by the same names; units and sources stand
/// there.
struct TimeConstants {
  // Cycles until a result can be used.
  double latency_alu = 0, latency_fp64 = 0, latency_xu = 0, latency_tensor = 0;
  double latency_shuffle = 0, latency_shared = 0;
  double latency_l1 = 0, latency_l2 = 0, latency_dram = 0;
  double latency_line = 0;         // for each further line of a request that misses the L1
  double barrier_cycles = 0;       // a barrier of a block with one warp
  double barrier_warp_cycles = 0;  // for each warp; the SM takes them one after the other
  // Cycles before a block's first instruction: for the block, for each of its warps.
  double block_start_cycles = 0, warp_start_cycles = 0;
  double block_launch_cycles = 0;  // between two blocks that the GPU gives out, to whichever SMs
  // Lanes per cycle and SM.
  double lanes_fp32 = 0, lanes_fp16 = 0, lanes_int = 0, lanes_fp64 = 0, lanes_xu = 0;
  double lanes_conversion = 0, lanes_conversion_wide = 0, lanes_shuffle = 0;
  double lanes_multiply = 0;         // integer products
  double constant_words = 0;         // distinct words of constant memory, per cycle and SM
  double mma_per_cycle = 0;          // 16x8x16 half-precision products per cycle and SM
  double l1_wavefronts = 0;          // per cycle and SM
  double l2_sm_bytes = 0;            // per cycle and SM
  double l2_sustained = 0;           // byte/s, all SMs
  double l2_read_lines = 0;          // requests to read a line, per cycle, whole L2
  double l2_small_writes = 0;        // requests to write less than a sector, per cycle, whole L2
  double dram_scattered_reads = 0;   // byte/s, pieces of 64 bytes far apart
  double dram_scattered_writes = 0;  // byte/s, words far apart: a sector read and written for each
  double atomic_turns = 0;           // per cycle, whole L2
  double line_turns = 0;             // per cycle on 512 bytes
  double line_turns_float = 0;       // per cycle on one sector, floating point
  double launch_overhead = 0;        // ns
  double overlap_exponent = 0;       // p of the norm that joins the roofs
};
/// kInvalidInput names the keys that the spec lacks, or that are not positive.
Result<TimeConstants> time_constants(const DeviceSpec& spec);

/// `spec` must have all constants (time_constants succeeds).
ModelledTime model_time(const DeviceSpec& spec, const Program& program,
                        const GridCounters& counters, const LaunchShape& shape);
/// A step that clears `bytes` of device memory, ns.
double zero_time(const DeviceSpec& spec, std::uint64_t bytes);

/// Adds what follows from counts and time together: duration, percentages of peak, issue activity,
/// achieved occupancy, and the roofs of the model itself. All graded modelled.
void add_throughputs(MetricSet& metrics, const DeviceSpec& spec, const Program& program,
                     const GridCounters& counters, const LaunchShape& shape);

}  // namespace kp::vgpu
