// SPDX-License-Identifier: Apache-2.0
// Counts and modelled times of the virtual GPU for kernels of the calibration set, one JSON object
// a line; tools/calibrate calls it. Values are not verified here: the tests do that.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

#include "base/check.h"
#include "device/device.h"
#include "harness/rig.h"
#include "model/expr.h"
#include "profile/source.h"
#include "task/task.h"

namespace {

using namespace kp;

constexpr std::uint64_t kBudget = std::uint64_t{1} << 34;  // warp instructions
constexpr std::int64_t kPeriod = 65'521;                   // floating-point values repeat

template <class T>
T must(Result<T> result) {
  KP_CHECK(result.has_value(), result ? "" : result.error().text());
  return *std::move(result);
}

template <class Good, class Variant>
Good& good(Variant& outcome, const Path& file) {
  auto* value = std::get_if<Good>(&outcome);
  KP_CHECK(value != nullptr, "cannot be built, loaded or run: " + file.string());
  return *value;
}

/// Integers are drawn in full, since they may be indices.
harness::TensorValues inputs_of(const Task& task, const Workload& workload) {
  Task small = task;
  for (Tensor& tensor : small.declaration.tensors) {
    if (tensor.shape.empty() || !is_floating(tensor.dtype)) continue;
    if (must(element_count(tensor.shape, workload.axes)) > kPeriod) tensor.shape = {Expr(kPeriod)};
  }
  return must(harness::draw_inputs(small, workload, harness::ValueSet::kContract, 1));
}

nlohmann::json count(const Path& file, device::Device& device, build::Builder& builder,
                     std::uint64_t sample_blocks) {
  const auto start = std::chrono::steady_clock::now();
  const Task task = must(task::read_task(file));
  const Candidate candidate = must(task::make_candidate(task, *task.baseline, file.string()));
  auto built = must(builder.build(task, candidate));
  const auto& binary = good<build::Binary>(built, file);
  auto loaded = must(device.load(binary));
  const Workload& workload = *task.with_role(WorkloadRole::kTime).front();
  auto opened =
      must(harness::Rig::open({.device = device,
                               .loaded = *good<std::unique_ptr<device::Loaded>>(loaded, file),
                               .binary = binary,
                               .task = task,
                               .candidate = candidate,
                               .workload = workload,
                               .instruction_budget = kBudget}));
  auto timed = must(good<std::unique_ptr<harness::Rig>>(opened, file)
                        ->time(inputs_of(task, workload), {.sample_blocks = sample_blocks}));
  const auto& timing = good<harness::Rig::Timing>(timed, file);
  const Profile profile = must(profile::collect({.binary = binary,
                                                 .device = device.describe(),
                                                 .steps = timing.steps,
                                                 .timing = timing.report,
                                                 .workload = workload.name}));
  nlohmann::json metrics;
  for (const auto& [name, metric] : profile.kernels.front().metrics.all()) {
    metrics[name] = metric.value;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return {{"kernel", file.stem().string()}, {"metrics", metrics}, {"seconds", seconds.count()}};
}

}  // namespace

/// vgpu_counts SAMPLE_BLOCKS FILE.cu...
int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  std::uint64_t sample_blocks = 0;
  const std::string_view first = argc > 2 ? arguments[1] : "";
  const bool number =
      std::from_chars(first.data(), first.data() + first.size(), sample_blocks).ec == std::errc();
  if (!number) {
    fmt::print(stderr, "usage: vgpu_counts SAMPLE_BLOCKS FILE.cu... (0: all blocks)\n");
    return 2;
  }
  build::Builder builder = must(build::Builder::open());
  for (const char* file : arguments.subspan(2)) {
    const auto device = must(device::open_device("vgpu:h200"));
    fmt::print("{}\n", count(file, *device, builder, sample_blocks).dump());
    std::fflush(stdout);
  }
}
