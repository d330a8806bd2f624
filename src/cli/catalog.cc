// SPDX-License-Identifier: Apache-2.0
// The only list of sub-commands, and what their options share.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"

namespace kp::cli {

CLI::Validator at_least(int least) {
  const auto refuse = [least](const std::string& text) {
    const auto value = parse_real(text);
    if (value && *value >= least) return std::string();
    return fmt::format("'{}' is no number of at least {}", text, least);
  };
  return CLI::Validator(refuse, "");
}

CLI::Validator device_of_torch() {
  const auto refuse = [](const std::string& text) {
    constexpr std::string_view kGpu = "cuda:";
    const auto number =
        text.starts_with(kGpu) ? parse_integer(text.substr(kGpu.size())) : std::nullopt;
    if ((number && *number >= 0) || text == "cpu" || text == "cuda") return std::string();
    return fmt::format("'{}' is no device of PyTorch: say cpu, cuda or cuda:N", text);
  };
  return CLI::Validator(refuse, "");
}

void add_all(CLI::App& app, Run& run) {
  add_optimize(app, run);
  add_resume(app, run);
  add_start(app, run);
  add_ask(app, run);
  add_tell(app, run);
  add_work(app, run);
  add_finish(app, run);
  add_show(app, run);
  add_explain(app, run);
  add_memory(app, run);
  add_bench(app, run);
  add_export(app, run);
  add_trace(app, run);
  add_eval(app, run);
  add_check(app, run);
  add_diagnose(app, run);
  add_init(app, run);
  add_screen(app, run);
  add_search_code(app, run);
  add_read_code(app, run);
  add_mcp(app, run);
  add_survey(app, run);
  add_claims(app, run);
  add_tools(app, run);
  add_doctor(app, run);
}

}  // namespace kp::cli
