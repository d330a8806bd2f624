// SPDX-License-Identifier: Apache-2.0
#include "cli/workshop.h"

#include <csignal>

namespace kp::cli {
namespace {

StopFlag stop_flag;

extern "C" void on_signal(int signal) {
  stop_flag.request();
  std::signal(signal, SIG_DFL);
}

}  // namespace

const StopFlag& stop_on_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  return stop_flag;
}

bool interrupted() { return stop_flag.requested(); }

Result<Workshop> open_workshop(Task task, const std::string& device,
                               const harness::HarnessOptions& options, const StopFlag& stop,
                               std::vector<Path> code_roots) {
  Workshop shop;
  KP_TRY(shop.device, device::open_device(device, &stop));
  KP_TRY(auto builder, build::Builder::open({.code_roots = std::move(code_roots)}));
  shop.builder = std::make_unique<build::Builder>(std::move(builder));
  KP_TRY(auto harness,
         harness::Harness::open(std::move(task), *shop.device, *shop.builder, options));
  shop.harness = std::make_unique<harness::Harness>(std::move(harness));
  return shop;
}

}  // namespace kp::cli
