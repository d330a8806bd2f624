// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "cli/command.h"

namespace {

/// CLI11 says only that a sub-command is required; this says which word is none.
std::optional<kp::Error> unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  const std::string word = argv[1];
  if (std::find(known.begin(), known.end(), word) != known.end()) return std::nullopt;
  const auto likely = kp::nearest(word, known);
  return kp::Error{kp::ErrorCode::kInvalidInput,
                   "there is no command `" + word + "`",
                   likely ? "did you mean `" + *likely + "`?" : "one of: " + kp::join(known, ", "),
                   {},
                   {}};
}

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
  kp::cli::Terminal terminal;
  if (const auto unknown = unknown_command(app, argc, argv)) {
    terminal.error(*unknown);
    return kp::cli::kUsage;
  }
  CLI11_PARSE(app, argc, argv);
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
