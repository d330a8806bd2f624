// SPDX-License-Identifier: Apache-2.0
#include "cli/stored_workshop.h"

#include <fmt/format.h>

#include "cli/environment.h"

namespace kp::cli {

Result<Workshop> open_workshop(loop::StoredRun& stored, const std::string& device,
                               const StopFlag& stop) {
  loop::Settings& settings = stored.settings;
  KP_TRY(const auto meta, stored.store.meta());
  harness::HarnessOptions options;
  options.seed = settings.seed;
  const std::string wanted = device.empty() ? loop::device_of(meta) : device;
  KP_TRY(auto shop, open_workshop(std::move(stored.task), wanted, options, stop,
                                  settings.proposer_options.code_roots));
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

}  // namespace kp::cli
