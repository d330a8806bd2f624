// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/workshop.h"
#include "device/hardware.h"
#include "loop/settings.h"
#include "package/collect.h"
#include "package/evidence.h"
#include "package/trial.h"
#include "package/values.h"
#include "task/task.h"

namespace kp::cli {
namespace {

struct ExportOptions {
  std::string run, form, out, device, name;
  int node = -1;
  bool json = false, skip_test = false, unconfined = false;
};

struct Exported {
  package::Delivery delivery;
  std::vector<package::File> files;
  package::Trial trial;
  std::string log;
  bool good = true;
};

Result<void> try_out(const ExportOptions& options, const Workshop& shop, Exported& exported) {
  package::Trial& trial = exported.trial;
  if (options.skip_test) {
    trial.compiled = "not compiled here: --skip-test";
    trial.test = "not run here: --skip-test";
    return {};
  }
  const bool real = shop.device->hardware() != nullptr;
  const std::string gpu = real ? shop.device->describe().spec.product : "";
  KP_TRY(auto result, package::try_out({exported.delivery, exported.files, options.form, gpu,
                                        options.unconfined}));
  trial.compiled = std::move(result.compiled);
  trial.test = std::move(result.test);
  exported.log = std::move(result.log);
  exported.good = result.good;
  return {};
}

Result<Exported> make(const ExportOptions& options, const report::RunView& view, int node,
                      const package::Form& form) {
  KP_TRY(const auto settings, loop::settings_from(view.meta));
  KP_TRY(auto task, task::read_task(settings.task));
  KP_TRY_VOID(loop::check_same_task(view.meta, task));
  Exported exported;
  package::Delivery& delivery = exported.delivery;
  KP_TRY(delivery, package::collect(view, node, task, options.name));
  harness::HarnessOptions harness_options;
  harness_options.seed = settings.seed;
  KP_TRY(auto shop,
         open_workshop(std::move(task), options.device, harness_options, stop_on_signals()));
  KP_TRY(delivery.architecture, package::architecture_of(delivery, *shop.builder));
  KP_TRY(exported.trial.values,
         package::check_values(delivery, {*shop.device, *shop.builder, settings.seed}));
  KP_TRY(exported.files, form.write(delivery));
  KP_TRY_VOID(try_out(options, shop, exported));
  // Again, now that the comment can say what came of it.
  delivery.evidence = package::evidence_of(view, node, delivery, exported.trial);
  KP_TRY(exported.files, form.write(delivery));
  return exported;
}

void print(const ExportOptions& options, const Exported& exported, const Path& folder, int node,
           Terminal& terminal) {
  const package::Trial& trial = exported.trial;
  if (options.json) {
    nlohmann::json files = nlohmann::json::array();
    for (const package::File& file : exported.files) files.push_back(file.name);
    terminal.print_json({{"run", options.run},
                         {"node", node},
                         {"form", options.form},
                         {"name", exported.delivery.name},
                         {"folder", folder.string()},
                         {"files", files},
                         {"architecture", exported.delivery.architecture},
                         {"values", trial.values},
                         {"compiled", trial.compiled},
                         {"test", trial.test},
                         {"log", exported.log},
                         {"good", exported.good}});
    return;
  }
  terminal.print(
      fmt::format("node {} of {} as {} in {}", node, options.run, options.form, folder.string()));
  for (const std::string& line : exported.delivery.evidence) terminal.print(line);
  if (!exported.log.empty()) terminal.print_verbatim(exported.log);
}

Result<int> export_run(const ExportOptions& options, Terminal& terminal) {
  KP_TRY(const package::Form form, package::find_form(options.form));
  KP_TRY(const auto view, report::read_run(options.run));
  const int node = options.node >= 0 ? options.node : view.best();
  KP_TRY(const auto exported, make(options, view, node, form));
  const Path folder =
      options.out.empty() ? Path(options.run) / ("export-" + options.form) : Path(options.out);
  KP_TRY_VOID(make_folder(folder));
  for (const package::File& file : exported.files)
    KP_TRY_VOID(write_file(folder / file.name, file.text));
  print(options, exported, folder, node, terminal);
  return exported.good ? kDone : kBadCandidate;
}

}  // namespace

void add_export(CLI::App& app, Run& run) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand(
      "export", "A node as C++ or as a PyTorch module, with guard, fallback and regression test");
  command->add_option("run", options->run, "folder of the run")->required();
  command->add_option("node", options->node, "node number; the best when absent")
      ->check(at_least(0));
  command->add_option("--as", options->form, "cpp or torch")->required();
  command->add_option("--out", options->out, "folder for the files; default: RUN/export-FORM");
  command->add_option("--name", options->name, "of the operator; default: the task's");
  command->add_option("--device", options->device, kDeviceHelp);
  command->add_flag("--skip-test", options->skip_test, "do not compile and test what was written");
  command->add_flag("--unconfined", options->unconfined,
                    "run the regression test even where there is no sandbox");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Examples:\n"
      "  kernelpro export runs/transpose --as cpp\n"
      "  kernelpro export runs/softmax 12 --as torch --out my_softmax");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return export_run(*options, terminal); };
  });
}

}  // namespace kp::cli
