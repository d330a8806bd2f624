// SPDX-License-Identifier: Apache-2.0
#include "cli/search_options.h"

#include "cli/command.h"
#include "loop/stored_run.h"

namespace kp::cli {

void add_search_options(CLI::App& command, loop::Settings& settings) {
  command.add_option("--search", settings.search, "mcts, greedy, beam or best-of-n")
      ->capture_default_str();
  command.add_option("--budget", settings.stop.budget, "evaluations, the baseline's included")
      ->check(at_least(1))
      ->capture_default_str();
  command
      .add_option("--patience", settings.stop.patience,
                  "evaluations without improvement; 0 for no limit")
      ->check(at_least(0))
      ->capture_default_str();
  command.add_option("--seed", settings.seed, "same seed, same tree")->capture_default_str();
}

Path run_folder(const std::string& out, const std::string& name) {
  return out.empty() ? loop::free_folder("runs", name) : Path(out);
}

}  // namespace kp::cli
