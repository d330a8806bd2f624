// SPDX-License-Identifier: Apache-2.0
#include "report/trace.h"

#include <fmt/format.h>

#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "loop/settings.h"
#include "task/task.h"

namespace kp::cli {
namespace {

struct TraceOptions {
  std::string run, form, out, author = "kernelpro";
  int node = -1;
  bool all = false, modelled = false, json = false;
};

struct Written {
  std::vector<int> nodes;
  std::vector<Path> solutions;
  Path traces;
  int lines = 0;
};

/// A definition may have any name.
std::string file_name(std::string name, const char* extension) {
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    if (!plain && (c != '.' || &c == name.data())) c = '_';
  }
  return name + extension;
}

Result<std::vector<int>> chosen(const TraceOptions& options, const report::RunView& view) {
  if (options.all) return report::judged_nodes(view);
  const int node = options.node >= 0 ? options.node : view.best();
  if (node >= 0) return std::vector<int>{node};
  return fail(ErrorCode::kInvalidInput, "nothing in the run was measured",
              "name a node, or write every judged one with --all");
}

Result<Written> write(const report::TraceRequest& request, const std::vector<int>& nodes,
                      const Path& folder) {
  Written written{.nodes = nodes,
                  .traces = folder / "traces" / file_name(request.task.name, ".jsonl")};
  std::string lines;
  KP_TRY_VOID(make_folder(folder / "solutions"));
  KP_TRY_VOID(make_folder(folder / "traces"));
  for (const int node : nodes) {
    KP_TRY(const auto solution, report::solution_of(request, node));
    KP_TRY(const auto traces, report::traces_of(request, node));
    written.solutions.push_back(folder / "solutions" /
                                file_name(solution["name"].get<std::string>(), ".json"));
    KP_TRY_VOID(write_file(written.solutions.back(), solution.dump(2) + "\n"));
    for (const auto& trace : traces) lines += trace.dump() + "\n";
    written.lines += static_cast<int>(traces.size());
  }
  KP_TRY_VOID(write_file(written.traces, lines));
  return written;
}

void print(const TraceOptions& options, const Written& written, Terminal& terminal) {
  if (options.json) {
    nlohmann::json solutions = nlohmann::json::array();
    for (const Path& path : written.solutions) solutions.push_back(path.string());
    terminal.print_json({{"run", options.run},
                         {"form", options.form},
                         {"nodes", written.nodes},
                         {"solutions", solutions},
                         {"traces", written.traces.string()},
                         {"lines", written.lines}});
    return;
  }
  for (const Path& path : written.solutions) terminal.print(path.string());
  terminal.print(fmt::format("{}: {} traces", written.traces.string(), written.lines));
}

Result<int> trace(const TraceOptions& options, Terminal& terminal) {
  const auto form = report::trace_form(options.form);
  if (!form) {
    return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is no form of trace", options.form),
                "flashinfer or sol");
  }
  KP_TRY(const auto view, report::read_run(options.run));
  KP_TRY(const auto settings, loop::settings_from(view.meta));
  KP_TRY(const auto task, task::read_task(view.folder / settings.task));
  KP_TRY_VOID(loop::check_same_task(view.meta, task));
  KP_TRY(const auto nodes, chosen(options, view));
  const Path folder =
      options.out.empty() ? Path(options.run) / ("trace-" + options.form) : Path(options.out);
  const report::TraceRequest request{.run = view,
                                     .task = task,
                                     .form = *form,
                                     .author = options.author,
                                     .modelled = options.modelled};
  KP_TRY(const Written written, write(request, nodes, folder));
  print(options, written, terminal);
  return kDone;
}

}  // namespace

void add_trace(CLI::App& app, Run& run) {
  auto options = std::make_shared<TraceOptions>();
  CLI::App* command = app.add_subcommand(
      "trace", "Nodes as Solution and Trace of FlashInfer-Bench or SOL-ExecBench");
  command->add_option("run", options->run, "folder of the run")->required();
  auto* node = command->add_option("node", options->node, "node number; the best when absent")
                   ->check(at_least(0));
  command->add_option("--as", options->form, "flashinfer or sol")->required();
  command->add_flag("--all", options->all, "every judged node, with what became of it")
      ->excludes(node);
  command->add_option("--author", options->author, "of the solutions");
  command->add_flag("--modelled", options->modelled,
                    "also what a virtual GPU judged: without times, and marked");
  command->add_option("--out", options->out, "folder for the files; default: RUN/trace-FORM");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Examples:\n"
      "  kernelpro trace runs/rmsnorm_h4096 --as flashinfer\n"
      "  kernelpro trace runs/rmsnorm_h4096 --as sol --all --author me");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return trace(*options, terminal); };
  });
}

}  // namespace kp::cli
