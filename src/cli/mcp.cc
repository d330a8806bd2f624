// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <csignal>
#include <memory>

#include "base/descriptor.h"
#include "cli/code_options.h"
#include "cli/command.h"
#include "cli/workshop.h"
#include "mcp/catalog.h"

namespace kp::cli {
namespace {

struct McpOptions {
  std::vector<std::string> roots, code_roots;
  std::string device;
};

Result<int> serve(const McpOptions& options, Terminal&) {
  const StopFlag& stop = stop_on_signals();
  // A client that goes away is the end of the input, not of the process.
  std::signal(SIGPIPE, SIG_IGN);
  // Whatever else is printed must not get between messages.
  const Descriptor out(::dup(STDOUT_FILENO));
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  const mcp::Setup setup{options.device, code_folders(options.code_roots), KP_VERSION};
  std::vector<Path> roots(options.roots.begin(), options.roots.end());
  if (roots.empty()) roots.emplace_back(".");
  mcp::LineChannel channel(STDIN_FILENO, out.number());
  mcp::Server server(mcp::introduction(setup), mcp::make_tools(setup), std::move(roots), channel);
  KP_TRY_VOID(server.serve(stop));
  return kDone;
}

}  // namespace

void add_mcp(CLI::App& app, Run& run) {
  auto options = std::make_shared<McpOptions>();
  CLI::App* command = app.add_subcommand(
      "mcp", "Serve coding agents: the Model Context Protocol on standard input and output");
  command
      ->add_option("--root", options->roots,
                   "folder that calls may read and write in, unless the client grants others; may "
                   "be repeated; default: where the server is started")
      ->type_name("DIR")
      ->allow_extra_args(false);
  add_code_roots(*command, options->code_roots);
  command->add_option("--device", options->device, kDeviceHelp);
  command->footer(
      "Examples:\n"
      "  claude mcp add kernelpro -- kernelpro mcp\n"
      "  kernelpro mcp --root ~/kernels --device cuda:0 --code-root ~/cutlass\n"
      "docs/agents.md has the lines for other agents.");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return serve(*options, terminal); };
  });
}

}  // namespace kp::cli
