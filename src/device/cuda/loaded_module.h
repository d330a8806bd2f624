// SPDX-License-Identifier: Apache-2.0
// A binary in a worker, and what is asked of it. Candidates and trusted code alike.
#pragma once
#include <functional>
#include <memory>

#include "device/cuda/worker.h"
#include "device/hardware.h"

namespace kp::device::cuda {

/// Without a finish, the module is unloaded at destruction and the worker stays.
struct LoadedModule : Loaded {
  LoadedModule(Worker& in, int as) : worker(in), number(as) {}
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  ~LoadedModule() override;

  Worker& worker;
  int number;  // in the worker
  std::function<void()> finish;
  std::string cubin;  // of a candidate
};

/// A binary that the driver refuses is Crashed.
std::variant<std::unique_ptr<LoadedModule>, Crashed> load_module(Worker& worker,
                                                                 const build::Binary& binary);

Mishap run_steps(const LoadedModule& module, const RunRequest& request);
TimeReport time_steps(const LoadedModule& module, const TimeRequest& request);
/// The binaries of other contenders are loaded beside `module` while it lasts.
SeriesReport time_series(const LoadedModule& module, const SeriesRequest& request);
Result<CountReport> count_launches(const LoadedModule& module, const CountRequest& request);
Result<TraceReport> trace_launches(const LoadedModule& module, const TraceRequest& request);

}  // namespace kp::device::cuda
