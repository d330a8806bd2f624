// SPDX-License-Identifier: Apache-2.0
#include "cli/workshop.h"

#include <fmt/format.h>

#include <csignal>

#include "loop/doubts.h"

namespace kp::cli {
namespace {

StopFlag stop_flag;

extern "C" void on_signal(int signal) {
  stop_flag.request();
  std::signal(signal, SIG_DFL);
}

}  // namespace

void note_doubts(const Task& task, Terminal& terminal) {
  const auto doubts = loop::doubts_about(task, cache_folder());
  if (!doubts) return terminal.note("note: " + doubts.error().text());
  for (const Label& doubt : *doubts)
    terminal.note(fmt::format("note: {}: {}", doubt.name, doubt.text));
}

const StopFlag& stop_on_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  return stop_flag;
}

bool interrupted() { return stop_flag.requested(); }

}  // namespace kp::cli
