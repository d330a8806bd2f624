// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_reports.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/workshop.h"
#include "suite/audit.h"
#include "suite/compare.h"
#include "suite/noise.h"

namespace kp::cli {
namespace {

/// Of the tables that people read.
struct FormOptions {
  bool markdown = false, json = false;
};

void add_form(CLI::App& command, FormOptions& options) {
  command.add_flag("--markdown", options.markdown, "as Markdown");
  command.add_flag("--json", options.json, "one JSON object on standard output");
}

void print(const std::vector<suite::Table>& tables, const FormOptions& options,
           Terminal& terminal) {
  const auto form = options.markdown ? suite::Form::kMarkdown : suite::Form::kText;
  terminal.print_verbatim(suite::to_string(tables, form));
}

struct ReportOptions {
  std::string folder;
  FormOptions form;
};

Result<int> report(const ReportOptions& options, Terminal& terminal) {
  KP_TRY(const auto results, suite::read_results(options.folder));
  if (options.form.json) {
    terminal.print_json(suite::report_json(results));
  } else {
    print(suite::report_tables(results), options.form, terminal);
  }
  return kDone;
}

struct CompareOptions {
  std::string a, b;
  FormOptions form;
};

Result<int> compare(const CompareOptions& options, Terminal& terminal) {
  KP_TRY(const auto a, suite::read_side(options.a));
  KP_TRY(const auto b, suite::read_side(options.b));
  KP_TRY(const auto compared, suite::compare(a, b));
  if (options.form.json) {
    terminal.print_json(suite::compare_json(compared));
  } else {
    print(suite::compare_tables(compared), options.form, terminal);
  }
  return kDone;
}

struct NoiseOptions {
  std::string folder, device;
};

Result<int> noise(const NoiseOptions& options, Terminal& terminal) {
  const StopFlag& stop = stop_on_signals();
  KP_TRY(auto store, suite::SuiteStore::open(options.folder, Sqlite::Access::kWrite));
  const auto told = [&](const std::string& task, const Result<suite::Noise>& noise) {
    terminal.note(noise ? fmt::format("{}: {:.4f}, {}", task, noise->ratio, name_of(noise->grade))
                        : fmt::format("{}: {}", task, noise.error().text()));
  };
  KP_TRY(const int kept, suite::record_noise(store, options.device, told, stop));
  terminal.print(fmt::format("the noise of {} tasks is kept in {}", kept, options.folder));
  return stop.requested() ? kInterrupted : kDone;
}

struct AuditOptions {
  std::string folder, out;
  int sample = 5;
  std::uint64_t seed = 1;
};

Result<int> audit(const AuditOptions& options, Terminal& terminal) {
  KP_TRY(const auto results, suite::read_results(options.folder));
  const auto winners =
      suite::draw_winners(results.runs, static_cast<std::size_t>(options.sample), options.seed);
  if (winners.empty()) {
    return fail(ErrorCode::kInvalidInput, "no run in " + options.folder + " won anything",
                "`kernelpro bench report` shows what came of the runs");
  }
  const Path folder = options.out.empty() ? Path(options.folder) / "audit" : Path(options.out);
  KP_TRY_VOID(suite::lay_out(results, winners, folder));
  terminal.print(fmt::format("{} winners are laid out in {}\nnext: read {}", winners.size(),
                             folder.string(), (folder / "README.md").string()));
  return kDone;
}

struct Words {
  const char* name;
  const char* help;
  const char* example;
};

/// A sub-command of bench with options of its own, which `declare` declares.
template <class Options>
void add(CLI::App& bench, Run& run, const Words& words,
         Result<int> (*what)(const Options&, Terminal&), void (*declare)(CLI::App&, Options&)) {
  auto options = std::make_shared<Options>();
  CLI::App* command = bench.add_subcommand(words.name, words.help);
  declare(*command, *options);
  command->footer(std::string("Example:\n  kernelpro bench ") + words.example);
  command->callback([options, what, &run] {
    run = [options, what](Terminal& terminal) { return what(*options, terminal); };
  });
}

void declare(CLI::App& command, ReportOptions& options) {
  command.add_option("folder", options.folder, "that bench named")->required();
  add_form(command, options.form);
}

void declare(CLI::App& command, CompareOptions& options) {
  command.add_option("first", options.a, "folder, or FOLDER:ARM")->required();
  command.add_option("second", options.b, "folder, or FOLDER:ARM")->required();
  add_form(command, options.form);
}

void declare(CLI::App& command, NoiseOptions& options) {
  command.add_option("folder", options.folder, "that bench named")->required();
  command.add_option("--device", options.device, kDeviceHelp);
}

void declare(CLI::App& command, AuditOptions& options) {
  command.add_option("folder", options.folder, "that bench named")->required();
  command.add_option("--sample", options.sample, "how many")
      ->check(at_least(1))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "same seed, same winners")->capture_default_str();
  command.add_option("--out", options.out, "folder; FOLDER/audit when not given");
}

}  // namespace

void declare_bench_reports(CLI::App& bench, Run& run) {
  add<ReportOptions>(
      bench, run,
      {"report", "What the runs of a suite come to", "report runs/suite-shipped --markdown"},
      report, declare);
  add<CompareOptions>(bench, run,
                      {"compare", "Two arms, run by run: tests and who won where",
                       "compare runs/suite-search:mcts runs/suite-search:greedy"},
                      compare, declare);
  add<NoiseOptions>(bench, run,
                    {"noise", "Judge each baseline against itself, and keep what came of it",
                     "noise runs/suite-shipped"},
                    noise, declare);
  add<AuditOptions>(bench, run,
                    {"audit", "Lay out random winners for a person to check",
                     "audit runs/suite-shipped --sample 5"},
                    audit, declare);
}

}  // namespace kp::cli
