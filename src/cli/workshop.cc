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

}  // namespace kp::cli
