// SPDX-License-Identifier: Apache-2.0
#include "device/vgpu.h"

#include <fmt/format.h>

#include "base/check.h"
#include "device/vgpu_buffers.h"
#include "device/vgpu_module.h"

namespace kp::device {
namespace {

class VgpuDevice : public Device {
 public:
  VgpuDevice(Description description, const StopFlag* stop)
      : description_(std::move(description)),
        buffers_(static_cast<std::uint64_t>(description_.spec.memory_bytes)),
        stop_(stop) {}

  const Description& describe() const override { return description_; }
  Buffers& buffers() override { return buffers_; }

  Result<std::variant<std::unique_ptr<Loaded>, Crashed>> load(const build::Binary& binary) override;
  Result<Mishap> run(Loaded& module, const RunRequest& request) override;
  Result<TimeReport> time(Loaded& module, const TimeRequest& request) override;

 private:
  /// What came of one step: a mishap, and counts in count mode.
  struct StepOutcome {
    Mishap mishap;
    std::unique_ptr<vgpu::GridCounters> counters;
  };
  Result<StepOutcome> launch(VgpuModule& module, const BoundLaunch& launch,
                             const vgpu::RunOptions& options);
  Result<Mishap> time_launch(VgpuModule& module, const BoundLaunch& launch,
                             const vgpu::RunOptions& options, LaunchReport& report);
  void clear(const BoundZero& zero);

  Description description_;
  VgpuBuffers buffers_;
  const StopFlag* stop_;
};

VgpuModule& module_of(Loaded& loaded) {
  auto* module = dynamic_cast<VgpuModule*>(&loaded);
  KP_CHECK(module != nullptr, "a module runs on the device that loaded it");
  return *module;
}

Result<std::variant<std::unique_ptr<Loaded>, Crashed>> VgpuDevice::load(
    const build::Binary& binary) {
  KP_TRY(auto outcome, load_module(binary, description_.spec, buffers_.memory()));
  if (auto* crashed = std::get_if<Crashed>(&outcome)) return std::move(*crashed);
  return std::unique_ptr<Loaded>(std::get<std::unique_ptr<VgpuModule>>(std::move(outcome)));
}

Result<VgpuDevice::StepOutcome> VgpuDevice::launch(VgpuModule& module, const BoundLaunch& launch,
                                                   const vgpu::RunOptions& options) {
  const auto found = module.kernels.find(launch.kernel);
  KP_CHECK(found != module.kernels.end(), "steps are bound against the binary that was loaded");
  if (auto crashed = does_not_fit(description_.spec, launch, found->second)) {
    return StepOutcome{*std::move(crashed), nullptr};
  }
  const vgpu::Grid grid = grid_of(launch);
  KP_TRY(vgpu::LaunchResult result, module.machine.launch(found->second.program, grid, options));
  if (result.stopped) {
    return fail(ErrorCode::kTimeout,
                fmt::format("stopped while kernel {} was running", launch.kernel));
  }
  if (result.fault) return StepOutcome{crash_of(*result.fault), nullptr};
  if (result.out_of_budget) {
    const std::string phase = options.mode == vgpu::Mode::kCount ? "time" : "check";
    return StepOutcome{
        TimedOut{phase, static_cast<double>(options.instruction_budget), "instructions",
                 fmt::format("kernel {} executed {} warp instructions and had not ended",
                             launch.kernel, result.instructions)},
        nullptr};
  }
  return StepOutcome{{}, std::move(result.counters)};
}

void VgpuDevice::clear(const BoundZero& zero) {
  const std::vector<std::byte> zeroes(zero.bytes);
  buffers_.memory().write(zero.address, zeroes);
}

Result<Mishap> VgpuDevice::run(Loaded& module, const RunRequest& request) {
  const bool check = request.inspect == Inspect::kCheck;
  buffers_.follow_definedness(check);
  const vgpu::RunOptions options{.mode = check ? vgpu::Mode::kCheck : vgpu::Mode::kValues,
                                 .schedule_seed = request.schedule_seed,
                                 .instruction_budget = request.instruction_budget,
                                 .stop = stop_};
  for (const BoundStep& step : request.steps) {
    if (const auto* zero = std::get_if<BoundZero>(&step)) {
      clear(*zero);
      continue;
    }
    KP_TRY(StepOutcome outcome, launch(module_of(module), std::get<BoundLaunch>(step), options));
    if (!std::holds_alternative<std::monostate>(outcome.mishap)) return outcome.mishap;
  }
  return Mishap{};
}

Result<Mishap> VgpuDevice::time_launch(VgpuModule& module, const BoundLaunch& launch,
                                       const vgpu::RunOptions& options, LaunchReport& report) {
  KP_TRY(StepOutcome outcome, this->launch(module, launch, options));
  if (!std::holds_alternative<std::monostate>(outcome.mishap)) return outcome.mishap;
  const VgpuModule::Kernel& kernel = module.kernels.at(launch.kernel);
  report.metrics = vgpu::metrics_of(kernel.program, *outcome.counters);
  vgpu::add_throughputs(report.metrics, description_.spec, kernel.program, *outcome.counters,
                        shape_of(launch, kernel));
  report.nanoseconds = *report.metrics.get(metric::kDuration);
  report.lines = vgpu::lines_of(kernel.program, *outcome.counters);
  return Mishap{};
}

Result<TimeReport> VgpuDevice::time(Loaded& module, const TimeRequest& request) {
  buffers_.follow_definedness(false);
  const vgpu::RunOptions options{.mode = vgpu::Mode::kCount,
                                 .instruction_budget = request.instruction_budget,
                                 .sample_blocks = request.sample_blocks,
                                 .stop = stop_};
  TimeReport report{.grade = Grade::kModelled};
  for (std::size_t i = 0; i < request.steps.size(); ++i) {
    if (const auto* zero = std::get_if<BoundZero>(&request.steps[i])) {
      clear(*zero);
      report.nanoseconds += vgpu::zero_time(description_.spec, zero->bytes);
      continue;
    }
    const auto& launch = std::get<BoundLaunch>(request.steps[i]);
    LaunchReport& entry = report.launches.emplace_back();
    entry.kernel = launch.kernel;
    entry.step = static_cast<int>(i);
    KP_TRY(report.mishap, time_launch(module_of(module), launch, options, entry));
    if (!std::holds_alternative<std::monostate>(report.mishap)) return report;
    report.nanoseconds += entry.nanoseconds;
  }
  return report;
}

}  // namespace

Result<std::unique_ptr<Device>> open_vgpu(const std::string& spec, const StopFlag* stop) {
  Description description{.timing = Grade::kModelled, .cooperative = true};
  KP_TRY(description.spec, read_device_spec(spec));
  KP_TRY_VOID(vgpu::time_constants(description.spec));
  description.name = fmt::format("vgpu:{}", description.spec.name);
  return std::unique_ptr<Device>(std::make_unique<VgpuDevice>(std::move(description), stop));
}

}  // namespace kp::device
