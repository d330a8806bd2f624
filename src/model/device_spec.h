// SPDX-License-Identifier: Apache-2.0
// The limits and peaks of one GPU. Read from specs/NAME.toml; every number there has unit and
// source.
//
// The file has the three strings `name`, `product`, `architecture` and five tables whose keys are
// the members below: [limits] from sm_count to schedulers_per_sm, [bytes] from shared_per_sm to
// memory_bytes, [rates] from clock_hz to l2_bandwidth and the two scalar_flops, [flops] by
// precision class (f64, f32, tf32, f16, bf16, fp8), and [model] with keys of the time model's own.
// A number is written plainly or as { value = 4.8e12, unit = "byte/s", source = "data sheet" }.
#pragma once
#include <map>
#include <string>

#include "base/file.h"
#include "model/dtype.h"

namespace kp {

struct DeviceSpec {
  std::string name;          // "h200"
  std::string product;       // "NVIDIA H200 SXM"
  std::string architecture;  // "sm_90"
  int sm_count = 0;
  int warps_per_sm = 0, blocks_per_sm = 0, threads_per_block = 0, barriers_per_sm = 0;
  int registers_per_sm = 0, registers_per_thread = 0;
  int schedulers_per_sm = 4;
  std::int64_t shared_per_sm = 0;       // bytes
  std::int64_t shared_per_block = 0;    // bytes, opt-in limit
  std::int64_t shared_static = 0;       // bytes, limit without opt-in
  std::int64_t shared_reserved = 0;     // bytes per block taken by the system
  std::int64_t shared_granularity = 0;  // bytes
  std::int64_t l1_bytes = 0;            // L1 and shared memory together, per SM
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;      // device memory
  double clock_hz = 0;                // SM clock used by the time model
  double dram_peak = 0;               // byte/s, data sheet: the floor that rejects
  double dram_sustained = 0;          // byte/s, measured copy: "at the roof"
  double l2_bandwidth = 0;            // byte/s, all SMs
  std::map<Precision, double> flops;  // peak FLOP/s of the best legal datapath of the class
  double scalar_flops_f32 = 0;        // FLOP/s without tensor cores
  double scalar_flops_f64 = 0;
  /// Everything else that the time model needs, by key; unit and source stand in the file.
  std::map<std::string, double> model;

  /// FLOP per byte where bandwidth and arithmetic balance, for the class.
  double ridge(Precision precision) const { return flops.at(precision) / dram_sustained; }
};

/// `name_or_path` is a file name in the specs folder without suffix, or a path to a TOML file.
/// kNotFound lists the specs that exist; kInvalidInput names the missing or malformed key and line.
Result<DeviceSpec> read_device_spec(const std::string& name_or_path);

/// The folder that holds specs/: beside the program, above it in a checkout, or $KERNELPRO_HOME.
Result<Path> installation_folder();

}  // namespace kp
