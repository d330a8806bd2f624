// SPDX-License-Identifier: Apache-2.0
// A CUDA GPU behind the seam: each candidate in a process of its own, trusted code in another, the
// same memory in all of them. Only cuda.cc makes one.
#pragma once
#include <memory>
#include <string>

#include "device/cuda/loaded_module.h"
#include "device/cuda/memory.h"
#include "device/cuda/nvml.h"
#include "device/cuda/replay_file.h"
#include "device/cuda/worker_pool.h"
#include "device/hardware.h"

namespace kp::device::cuda {

/// Trusted code in the worker that owns the memory: a device without hardware of its own.
class TrustedDevice : public Device {
 public:
  /// What is cut short by the worker's stop flag is an error, kTimeout.
  TrustedDevice(const Description& description, Worker& worker, Memory& memory)
      : description_(description), worker_(worker), memory_(memory) {}
  const Description& describe() const override { return description_; }
  Buffers& buffers() override { return memory_; }
  Result<std::variant<std::unique_ptr<Loaded>, Crashed>> load(const build::Binary& binary) override;
  Result<Mishap> run(Loaded& module, const RunRequest& request) override;
  Result<TimeReport> time(Loaded& module, const TimeRequest& request) override;

 private:
  const Description& description_;
  Worker& worker_;
  Memory& memory_;
};

class GpuDevice : public Device, public Hardware, public Observer {
 public:
  /// `spec.confinement` is the strongest that is tried for candidates.
  static Result<std::unique_ptr<Device>> open(const WorkerSpec& spec);

  const Description& describe() const override { return description_; }
  Buffers& buffers() override { return memory_; }
  /// Candidates crash by their own fault here; errors are the GPU's.
  Result<std::variant<std::unique_ptr<Loaded>, Crashed>> load(const build::Binary& binary) override;
  Result<Mishap> run(Loaded& module, const RunRequest& request) override;
  Result<TimeReport> time(Loaded& module, const TimeRequest& request) override;
  Hardware* hardware() override { return this; }

  Device& trusted() override { return trusted_view_; }
  Result<SeriesReport> series(Loaded& candidate, const SeriesRequest& request) override;
  Observer& observer() override { return *this; }
  Result<SharedArray> share(std::uint64_t address) override { return memory_.share(address); }
  GpuState state() override { return nvml_.state(); }
  std::string sandbox() const override { return pool_->confined(); }

  Result<CountReport> count(Loaded& candidate, const CountRequest& request) override;
  Result<TraceReport> trace(Loaded& candidate, const TraceRequest& request) override;
  Result<std::string> rules(Loaded& candidate, const RulesRequest& request) override;

 private:
  GpuDevice(const WorkerSpec& spec, std::unique_ptr<Worker> trusted, const Opened& opened,
            Description description);
  Result<Mishap> inspect(const LoadedModule& module, const RunRequest& request);
  /// `steps` and the arrays that they name, with at most `most_bytes` of what each holds.
  Result<Replay> replay_of(const LoadedModule& module, std::span<const BoundStep> steps,
                           std::uint64_t most_bytes);

  WorkerSpec spec_;
  Description description_;
  std::unique_ptr<Worker> trusted_;
  Memory memory_;
  TrustedDevice trusted_view_;
  Nvml nvml_;
  std::unique_ptr<WorkerPool> pool_;
};

}  // namespace kp::device::cuda
