// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "cli/command.h"
#include "cli/workshop.h"

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

/// Command names are short: their descriptions may begin further left than those of options.
void lay_out_commands(CLI::App& app) {
  auto formatter = std::make_shared<CLI::Formatter>();
  formatter->column_width(14);
  formatter->label("SUBCOMMAND", "COMMAND");
  app.formatter(formatter);
  for (CLI::App* command : app.get_subcommands({})) command->group("Commands");
}

/// What is to be done when the command line cannot be read, or asks for help.
std::optional<int> parse(CLI::App& app, int argc, char** argv, kp::cli::Terminal& terminal) {
  if (argc < 2) {
    terminal.note(app.help());
    return kp::cli::kUsage;
  }
  if (const auto unknown = unknown_command(app, argc, argv)) {
    terminal.error(*unknown);
    return kp::cli::kUsage;
  }
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const auto chosen = app.get_subcommands();
    const std::string command = chosen.empty() ? "COMMAND" : chosen.front()->get_name();
    const std::string message = chosen.empty() ? "a command is missing" : error.what();
    terminal.error({kp::ErrorCode::kInvalidInput,
                    message,
                    "`kernelpro " + command + " --help` lists what it takes",
                    {},
                    {}});
    return kp::cli::kUsage;
  }
}

int run_program(int argc, char** argv) {
  CLI::App app{
      "KernelPro makes GPU kernels faster: it verifies, times, profiles and diagnoses a\n"
      "kernel, has better versions written, and searches the tree of versions.",
      "kernelpro"};
  app.require_subcommand(1);
  app.set_version_flag("--version", KP_VERSION, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  kp::cli::Run run;
  kp::cli::add_all(app, run);
  lay_out_commands(app);
  app.footer(
      "Begin with:            kernelpro optimize tasks/transpose\n"
      "Help on one command:   kernelpro COMMAND --help");
  kp::cli::Terminal terminal;
  if (const auto code = parse(app, argc, argv, terminal)) return *code;
  const auto done = run(terminal);
  if (done) return *done;
  if (!kp::cli::interrupted()) {
    terminal.error(done.error());
    return kp::cli::kFailed;
  }
  terminal.error(kp::Error(done.error()).within("interrupted"));
  return kp::cli::kInterrupted;
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv); }
