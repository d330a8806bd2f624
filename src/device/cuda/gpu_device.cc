// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/gpu_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/cuda/gpu_spec.h"
#include "device/cuda/nsight.h"
#include "device/cuda/sanitizer.h"

namespace kp::device::cuda {
namespace {

using LoadOutcome = Result<std::variant<std::unique_ptr<Loaded>, Crashed>>;

/// `value`, which means nothing once the stop flag has ended the worker that it came from.
template <class T>
Result<T> unless_stopped(const Worker& worker, T value, std::string_view doing) {
  if (worker.stopped()) return fail(ErrorCode::kTimeout, fmt::format("stopped while {}", doing));
  return Result<T>(std::move(value));
}

LoadedModule& module_of(Loaded& loaded) { return static_cast<LoadedModule&>(loaded); }

LoadOutcome outcome_of(std::variant<std::unique_ptr<LoadedModule>, Crashed> loaded) {
  using Outcome = std::variant<std::unique_ptr<Loaded>, Crashed>;
  if (auto* crashed = std::get_if<Crashed>(&loaded)) return Outcome(std::move(*crashed));
  return Outcome(
      std::unique_ptr<Loaded>(std::get<std::unique_ptr<LoadedModule>>(std::move(loaded))));
}

}  // namespace

LoadOutcome TrustedDevice::load(const build::Binary& binary) {
  return outcome_of(load_module(worker_, binary));
}

Result<Mishap> TrustedDevice::run(Loaded& module, const RunRequest& request) {
  return unless_stopped(worker_, run_steps(module_of(module), request), "our own kernels ran");
}

Result<TimeReport> TrustedDevice::time(Loaded& module, const TimeRequest& request) {
  return unless_stopped(worker_, time_steps(module_of(module), request), "our own kernels ran");
}

GpuDevice::GpuDevice(const WorkerSpec& spec, std::unique_ptr<Worker> trusted, const Opened& opened,
                     Description description)
    : spec_(spec),
      description_(std::move(description)),
      trusted_(std::move(trusted)),
      memory_(*trusted_, opened.memory_bytes),
      trusted_view_(description_, *trusted_, memory_) {}

Result<std::unique_ptr<Device>> GpuDevice::open(const WorkerSpec& spec) {
  WorkerSpec trusted_spec = spec;
  trusted_spec.confinement = Confinement::kMinimal;  // it runs nothing that is not ours
  KP_TRY(auto trusted, Worker::start(trusted_spec));
  KP_TRY(const Opened opened, trusted->opened());
  KP_TRY(Description description, description_of(opened, spec.gpu));
  std::unique_ptr<GpuDevice> device(
      new GpuDevice(spec, std::move(trusted), opened, std::move(description)));
  device->nvml_.select(opened.uuid, spec.gpu);
  KP_TRY(device->pool_, WorkerPool::open(spec, device->memory_));
  return std::unique_ptr<Device>(std::move(device));
}

LoadOutcome GpuDevice::load(const build::Binary& binary) {
  KP_TRY(std::unique_ptr<Worker> worker, pool_->take());
  auto loaded = load_module(*worker, binary);
  KP_TRY_VOID(unless_stopped(*trusted_, true, "the candidate was loaded"));
  if (std::holds_alternative<Crashed>(loaded)) {
    pool_->discard(std::move(worker));
  } else {
    // The module owns its worker; std::function wants what can be copied.
    Worker* owned = worker.release();
    std::get<std::unique_ptr<LoadedModule>>(loaded)->cubin = binary.cubin;
    std::get<std::unique_ptr<LoadedModule>>(loaded)->finish = [pool = pool_.get(), owned] {
      pool->discard(std::unique_ptr<Worker>(owned));
    };
  }
  return outcome_of(std::move(loaded));
}

Result<Replay> GpuDevice::replay_of(const LoadedModule& module, std::span<const BoundStep> steps,
                                    std::uint64_t most_bytes) {
  Replay replay{.gpu = spec_.gpu, .cubin = module.cubin, .steps = steps, .arrays = {}};
  for (const Memory::Extent& extent : memory_.extents()) {
    if (extent.bytes == 0 || !is_named(steps, extent.address, extent.bytes)) continue;
    ReplayedArray& array =
        replay.arrays.emplace_back(ReplayedArray{extent.address, extent.bytes, {}});
    if (!extent.written) continue;
    array.contents.emplace(std::min(extent.bytes, most_bytes));
    KP_TRY_VOID(memory_.read(extent.address, *array.contents));
  }
  return replay;
}

/// As the arrays are now. What kernels wrote counts as written from then on, all of it: too little
/// is found there, and nothing that is not so.
Result<Mishap> GpuDevice::inspect(const LoadedModule& module, const RunRequest& request) {
  SanitizeRequest sanitized{
      .worker = spec_, .replay = {}, .deadline_seconds = request.deadline_seconds};
  KP_TRY(sanitized.replay, replay_of(module, request.steps, ~0ull));
  Result<Mishap> found = sanitize(sanitized);
  for (const ReplayedArray& array : sanitized.replay.arrays) memory_.note_written(array.address);
  return found;
}

/// What is inspected also runs as ever, so that the arrays hold what the steps leave there.
Result<Mishap> GpuDevice::run(Loaded& module, const RunRequest& request) {
  if (request.inspect == Inspect::kCheck) {
    KP_TRY(Mishap found, inspect(module_of(module), request));
    if (!std::holds_alternative<std::monostate>(found)) return found;
  }
  return unless_stopped(*trusted_, run_steps(module_of(module), request), "the candidate ran");
}

Result<TimeReport> GpuDevice::time(Loaded& module, const TimeRequest& request) {
  KP_TRY_VOID(pool_->settle());
  return unless_stopped(*trusted_, time_steps(module_of(module), request),
                        "the candidate was timed");
}

Result<SeriesReport> GpuDevice::series(Loaded& candidate, const SeriesRequest& request) {
  KP_TRY_VOID(pool_->settle());
  return unless_stopped(*trusted_, time_series(module_of(candidate), request),
                        "the candidate was timed");
}

Result<CountReport> GpuDevice::count(Loaded& candidate, const CountRequest& request) {
  KP_TRY_VOID(pool_->settle());
  KP_TRY(CountReport report, count_launches(module_of(candidate), request));
  return unless_stopped(*trusted_, std::move(report), "the candidate was profiled");
}

/// What is measured hardly depends on values; integers that are indices stay so when repeated.
Result<std::string> GpuDevice::rules(Loaded& candidate, const RulesRequest& request) {
  constexpr std::uint64_t kMostContents = 32ull << 20;
  KP_TRY_VOID(pool_->settle());
  KP_TRY(const Replay replay, replay_of(module_of(candidate), request.steps, kMostContents));
  return nsight_details(spec_, replay, request.deadline_seconds);
}

Result<TraceReport> GpuDevice::trace(Loaded& candidate, const TraceRequest& request) {
  KP_TRY_VOID(pool_->settle());
  KP_TRY(TraceReport report, trace_launches(module_of(candidate), request));
  return unless_stopped(*trusted_, std::move(report), "the candidate was traced");
}

}  // namespace kp::device::cuda
