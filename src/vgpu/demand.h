// SPDX-License-Identifier: Apache-2.0
// What a launch asks of each part of the GPU, and how its blocks lie on the SMs. Between counts and
// time.
#pragma once
#include "vgpu/time_model.h"

namespace kp::vgpu {

/// Blocks are given out as evenly as whole blocks allow.
struct Residency {
  double blocks_per_sm = 1;         // at the same time; at least 1
  double blocks_of_busiest_sm = 1;  // over the launch
  double blocks_of_mean_sm = 1;     // over the launch, idle SMs included
  double busy_sms = 1;
  double warps_per_block = 1;
  double resident_warps = 1;  // of a busy SM, mean over its active time
};
Residency residency_of(const DeviceSpec& spec, const LaunchShape& shape);

/// Cycles that each pipe is busy, summed over the SMs.
struct PipeCycles {
  double fma = 0, alu = 0, fp64 = 0, xu = 0, conversion = 0, shuffle = 0, tensor = 0;
  double multiply = 0;  // integer products: half of the multiply-add pipe
  double constant = 0;  // look-ups in constant memory
  double barrier = 0;
  double largest() const;
};

/// Of the whole grid, unless it says otherwise.
struct Demand {
  double dram_bytes = 0;  // of which these lie far apart:
  double scattered_read_bytes = 0, scattered_write_bytes = 0;
  double l2_bytes = 0;       // that SMs ask for
  double merged_bytes = 0;   // of which another SM has just asked
  double l2_read_lines = 0;  // requests of SMs to read a line
  double small_writes = 0;   // lines of which a store writes less than a sector
  double l1_wavefronts = 0;  // shared memory passes and global and local tag look-ups
  double issues = 0;         // machine instructions of warps
  double atomic_turns = 0, hottest_turns = 0;
  // Issued lanes by pipe: 32 for each warp instruction, however many lanes are active.
  double fp32 = 0, fp16 = 0, integer = 0, fp64 = 0, xu = 0, conversion = 0, conversion_wide = 0;
  double multiply = 0, either = 0;  // integer: products; sums and shifts that fit two pipes
  double shuffle = 0, matrix_products = 0;
  double constant_words = 0;  // look-ups in constant memory
  double barrier_warps = 0;   // warps that come to a barrier
  double hottest_sector_turns = 0;
  bool float_atomics = false;  // of floating-point numbers, on global memory
  double sms = 1, imbalance = 1;

  PipeCycles pipes(const TimeConstants& constants) const;
  /// The share of the SM that has most to do of a demand on all SMs.
  double busiest(double demand) const { return demand / sms * imbalance; }
};
Demand demand_of(const DeviceSpec& spec, const Program& program, const GridCounters& counters,
                 const Residency& residency);

}  // namespace kp::vgpu
