// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "cli/command.h"

namespace {

int run_program(int argc, char** argv) {
  CLI::App app{
      "KernelPro makes GPU kernels faster: it verifies, times, profiles and diagnoses a kernel, "
      "has better versions written, and searches the tree of versions.",
      "kernelpro"};
  app.require_subcommand(1);
  app.set_version_flag("--version", KP_VERSION);
  app.footer(
      "Begin with:  kernelpro optimize tasks/transpose\n"
      "Help on one command:  kernelpro COMMAND --help");
  kp::cli::Run run;
  kp::cli::add_all(app, run);
  CLI11_PARSE(app, argc, argv);
  kp::cli::Terminal terminal;
  const auto done = run(terminal);
  if (done) return *done;
  terminal.error(done.error());
  return kp::cli::kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  const int code = run_program(argc, argv);
  // CLI11 has codes of its own for what it cannot parse.
  return code >= 100 && code != kp::cli::kInterrupted ? kp::cli::kUsage : code;
}
