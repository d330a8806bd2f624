// SPDX-License-Identifier: Apache-2.0
// The only list of sub-commands.
#include "cli/command.h"

namespace kp::cli {

void add_all(CLI::App& app, Run& run) {
  add_optimize(app, run);
  add_resume(app, run);
  add_show(app, run);
  add_explain(app, run);
  add_eval(app, run);
  add_check(app, run);
  add_diagnose(app, run);
  add_tools(app, run);
  add_doctor(app, run);
}

}  // namespace kp::cli
