// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate.h"

#include <fmt/chrono.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/ceilings.h"
#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/spec_file.h"

namespace kp::cli {
namespace {

/// "measured 2026-11-21 on NVIDIA H200, driver 580.159.04, CUDA 13.0".
std::string source_of(const device::Description& device, const build::Toolchain& toolchain) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const bool modelled = device.timing == Grade::kModelled;
  const std::string driver = modelled ? "" : driver_version();
  return fmt::format("{} {:%Y-%m-%d} on {}{}, CUDA {}", modelled ? "modelled" : "measured",
                     fmt::gmtime(now), modelled ? device.name : device.spec.product,
                     driver.empty() ? "" : ", driver " + driver, toolchain.version);
}

/// The spec that the new one starts from: that of this GPU where one is shipped.
Result<std::string> base_text(const DeviceSpec& gpu) {
  KP_TRY(const Path home, installation_folder());
  const Path own = home / "specs" / (spec_name(gpu.product) + ".toml");
  std::error_code error;
  return read_text(std::filesystem::exists(own, error) ? own : home / "specs/h200.toml");
}

void print(const std::vector<Ceiling>& ceilings, const Path& file, Terminal& terminal) {
  for (const Ceiling& ceiling : ceilings) {
    terminal.print(fmt::format("{:<18} {:>10.4g} {:<7} {}", ceiling.key, ceiling.value,
                               ceiling.unit, ceiling.how));
  }
  terminal.print(fmt::format("wrote {}", file.string()));
}

nlohmann::json to_json(const std::vector<Ceiling>& ceilings, const Path& file,
                       const std::string& source) {
  nlohmann::json json{
      {"spec", file.string()}, {"source", source}, {"ceilings", nlohmann::json::array()}};
  for (const Ceiling& ceiling : ceilings) {
    json["ceilings"].push_back({{"key", ceiling.key},
                                {"value", ceiling.value},
                                {"unit", ceiling.unit},
                                {"how", ceiling.how}});
  }
  return json;
}

}  // namespace

Result<int> calibrate(const CalibrateOptions& options, Terminal& terminal) {
  KP_TRY(const build::Toolchain toolchain, build::find_toolchain());
  KP_TRY(const auto device, device::open_device(options.device));
  const device::Description& description = device->describe();
  KP_TRY(const auto ceilings, measure_ceilings(*device, toolchain).within("calibrate"));
  KP_TRY(const std::string base, base_text(description.spec));
  const std::string source = source_of(description, toolchain);
  const Path file =
      options.out.empty() ? Path(spec_name(description.spec.product) + ".toml") : Path(options.out);
  KP_TRY_VOID(write_file(file, spec_text(base, description.spec, ceilings, source)));
  KP_TRY_VOID(read_device_spec(std::filesystem::absolute(file).string()).within("read it back"));
  if (options.json) {
    terminal.print_json(to_json(ceilings, file, source));
  } else {
    print(ceilings, file, terminal);
  }
  return kDone;
}

}  // namespace kp::cli
