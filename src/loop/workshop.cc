// SPDX-License-Identifier: Apache-2.0
#include "loop/workshop.h"

#include <fmt/format.h>

#include "loop/doubts.h"

namespace kp::loop {

Result<Bench> open_bench(const std::string& device, const StopFlag& stop,
                         std::vector<Path> code_roots) {
  Bench bench;
  KP_TRY(bench.device, device::open_device(device, &stop));
  KP_TRY(auto builder, build::Builder::open({.code_roots = std::move(code_roots)}));
  bench.builder = std::make_shared<build::Builder>(std::move(builder));
  return bench;
}

Result<Workshop> open_workshop(Task task, const Bench& bench,
                               const harness::HarnessOptions& options) {
  harness::HarnessOptions labelled = options;
  KP_TRY(labelled.labels,
         doubts_about(task, options.cache.empty() ? cache_folder() : options.cache));
  KP_TRY(auto harness, harness::Harness::open(std::move(task), *bench.device, *bench.builder,
                                              std::move(labelled)));
  return Workshop{bench.device, bench.builder,
                  std::make_unique<harness::Harness>(std::move(harness))};
}

Result<Workshop> open_workshop(Task task, const std::string& device,
                               const harness::HarnessOptions& options, const StopFlag& stop,
                               std::vector<Path> code_roots) {
  KP_TRY(const auto bench, open_bench(device, stop, std::move(code_roots)));
  return open_workshop(std::move(task), bench, options);
}

Result<harness::HarnessOptions> harness_options(const Settings& settings, device::Device& device) {
  harness::HarnessOptions options;
  options.seed = settings.seed;
  options.vendor_rules = settings.proposer_options.arm == propose::Arm::kNcu;
  if (!options.vendor_rules || device.hardware() != nullptr) return options;
  return fail(ErrorCode::kUnsupported,
              fmt::format("--arm ncu: Nsight Compute sees nothing of {}", device.describe().name),
              "use a GPU (--device cuda), or --arm tools, raw, placebo or none");
}

Result<Workshop> open_workshop(StoredRun& stored, const Bench& bench) {
  Settings& settings = stored.settings;
  KP_TRY(const auto options, harness_options(settings, *bench.device));
  KP_TRY(auto shop, open_workshop(std::move(stored.task), bench, options));
  const std::string here = shop.device->describe().name;
  settings.device = here;
  KP_TRY_VOID(stored.store.remember({{"device", here}}));
  KP_TRY(const auto now, stored.store.meta());
  if (now.at("device") == here) {
    KP_TRY_VOID(stored.store.remember(environment(shop, settings, settings.task)));
    return shop;
  }
  return fail(ErrorCode::kInvalidInput,
              fmt::format("the run is judged on {}, this is {}", now.at("device"), here),
              "times of two devices cannot be compared: work where the device is, or start "
              "another run");
}

Result<Bench> open_bench(StoredRun& stored, const std::string& device, const StopFlag& stop) {
  KP_TRY(const auto meta, stored.store.meta());
  return open_bench(device.empty() ? device_of(meta) : device, stop,
                    stored.settings.proposer_options.code_roots);
}

Result<Workshop> open_workshop(StoredRun& stored, const std::string& device, const StopFlag& stop) {
  KP_TRY(const auto bench, open_bench(stored, device, stop));
  return open_workshop(stored, bench);
}

}  // namespace kp::loop
