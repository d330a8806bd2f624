// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>

#include <chrono>

#include "base/parallel.h"
#include "loop/workshop.h"

namespace kp::loop {
namespace {

template <class T>
std::string unless_default(std::string_view option, const T& value, const T& usual) {
  return value == usual ? "" : fmt::format(" --{} {}", option, value);
}

/// As a shell takes it for one word.
std::string quoted(const std::string& path) {
  const bool plain = path.find_first_of(" \t'\"\\$`&;()*?<>|") == std::string::npos;
  return plain ? path : fmt::format("\"{}\"", path);
}

/// What always matters is spelled out, so that the line stays true when defaults change.
std::string command_of(const Settings& settings, const std::string& task) {
  const Settings usual;
  return fmt::format("kernelpro optimize {} --device {} --seed {} --budget {}", quoted(task),
                     settings.device, settings.seed, settings.stop.budget) +
         unless_default("from", quoted(settings.from.string()), std::string()) +
         unless_default("proposer", settings.proposer, usual.proposer) +
         unless_default("search", settings.search, usual.search) +
         unless_default("patience", settings.stop.patience, usual.stop.patience) +
         unless_default("time", settings.stop.time.count(), usual.stop.time.count());
}

}  // namespace

store::Meta environment(const Workshop& shop, const Settings& settings, const std::string& task) {
  const device::Description& device = shop.device->describe();
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  store::Meta meta = device_meta(device);
  meta.insert(
      {{"version", KP_VERSION},
       {"compiler", build::describe(shop.builder->toolchain())},
       {"product", device.spec.product},
       {"evidence", device.timing == Grade::kModelled ? "modelled, not measured" : "measured"},
       {"host_cores", std::to_string(available_cores())},
       {"date", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now))},
       {"command", command_of(settings, task)}});
  return meta;
}

}  // namespace kp::loop
