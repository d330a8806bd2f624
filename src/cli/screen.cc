// SPDX-License-Identifier: Apache-2.0
#include "harness/screen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/command.h"
#include "cli/workshop.h"
#include "device/hardware.h"
#include "loop/doubts.h"
#include "task/quarantine.h"
#include "task/task.h"

namespace kp::cli {
namespace {

using harness::AttackReport;
using Verdict = AttackReport::Verdict;

struct ScreenOptions {
  std::vector<std::string> tasks;
  std::string device;
  harness::ScreenOptions screen;
  bool attacks = false, json = false;
};

/// What is known of one task.
struct Screened {
  std::string path;
  std::optional<harness::Screening> screening;
  std::optional<Error> refused;  // what stood in the way of a screening
  std::optional<task::Quarantine> listed;

  std::string_view verdict() const {
    if (refused) return "refused";
    if (screening->degenerate()) return "degenerate";
    return listed && listed->excluded() ? "quarantined" : "sound";
  }
};

Result<harness::Screening> screening_of(const Task& task, const loop::Bench& bench,
                                        const ScreenOptions& options) {
  device::Hardware* hardware = bench.device->hardware();
  device::Device& trusted = hardware ? hardware->trusted() : *bench.device;
  KP_TRY(const auto reference,
         harness::open_reference(task, trusted, *bench.builder, cache_folder()));
  harness::ScreenOptions wanted = options.screen;
  wanted.hardware = hardware != nullptr;
  return harness::screen(task, *reference, wanted);
}

Result<Screened> screen_one(const std::string& path, const loop::Bench& bench,
                            const ScreenOptions& options) {
  Screened screened{.path = path};
  const auto task = task::read_task(path);
  if (!task) {
    screened.refused = task.error();
    return screened;
  }
  KP_TRY(screened.listed, task::known_faults(*task));
  auto screening = screening_of(*task, bench, options);
  if (!screening) {
    screened.refused = screening.error();
    return screened;
  }
  KP_TRY_VOID(loop::remember_screening(*screening, *task, cache_folder()));
  screened.screening = *std::move(screening);
  return screened;
}

nlohmann::json to_json(const task::Quarantine& listed) {
  nlohmann::json json{{"task", listed.task},
                      {"quarantine", listed.excluded()},
                      {"also_listed_by", listed.listed},
                      {"faults", nlohmann::json::array()}};
  for (const auto& fault : listed.faults)
    json["faults"].push_back({{"class", task::name_of(fault.kind)},
                              {"quarantine", fault.quarantine},
                              {"reason", fault.reason},
                              {"repair", fault.repair}});
  return json;
}

nlohmann::json to_json(const Screened& screened) {
  nlohmann::json json;
  if (screened.screening) json = harness::to_json(*screened.screening);
  json["path"] = screened.path;
  json["verdict"] = screened.verdict();
  if (screened.refused) json["error"] = screened.refused->text();
  json["listed"] = screened.listed ? to_json(*screened.listed) : nlohmann::json();
  return json;
}

/// Times its limit by which an attack fails; absent where the gate is all or nothing.
std::optional<double> excess(const AttackReport& report) {
  if (report.verdict != Verdict::kFails || !report.judged || report.limit <= 0) return {};
  return report.error / report.limit;
}

std::string nearest(const harness::Screening& screening) {
  const AttackReport* best = nullptr;
  for (const AttackReport& report : screening.reports) {
    if (excess(report) && (!best || *excess(report) < *excess(*best))) best = &report;
  }
  if (!best) return "every attack fails an exact gate";
  return fmt::format("nearest: {} of `{}`, {:.3g} times its limit ({})", best->attack, best->tensor,
                     *excess(*best), best->gate);
}

/// The attacks that pass somewhere on such inputs.
template <typename Passes>
std::string passing(const harness::Screening& screening, Passes&& passes) {
  std::set<std::string> names;
  for (const AttackReport& report : screening.reports) {
    if (passes(report)) names.insert(report.attack);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What other inputs and other tolerances than ours would let pass.
void add_asides(const harness::Screening& screening, std::vector<std::string>& lines) {
  const auto add = [&](const char* what, auto&& passes) {
    const std::string names = passing(screening, passes);
    if (!names.empty()) lines.push_back(what + names);
  };
  if (const auto mends = screening.zero_mean_sound; mends && screening.degenerate())
    lines.push_back(*mends ? "zero-mean inputs mend it" : "zero-mean inputs do not mend it");
  add("the author's inputs let pass: ", [](const AttackReport& report) {
    return report.inputs == "published" && report.verdict == Verdict::kPasses;
  });
  add("allclose at 1e-4 lets pass: ", [](const AttackReport& r) { return r.close_tight; });
  add("allclose at 1e-2 lets pass too: ",
      [](const AttackReport& r) { return r.close_loose && !r.close_tight; });
  for (const std::string& note : screening.notes) {
    if (!note.starts_with("oracle")) lines.push_back(note);
  }
}

std::vector<std::string> lines_of(const Screened& screened) {
  std::vector<std::string> lines;
  const auto add = [&lines](std::string line) { lines.push_back(std::move(line)); };
  if (screened.refused) add(screened.refused->text());
  if (screened.screening) {
    const auto& screening = *screened.screening;
    add(screening.degenerate().value_or(nearest(screening)));
    add_asides(screening, lines);
  }
  if (screened.listed) add("listed as " + screened.listed->reason());
  return lines;
}

std::string row_of(const AttackReport& report) {
  const bool told = report.verdict == Verdict::kNone || report.verdict == Verdict::kExcused;
  std::string text = fmt::format("  {:<28} {:<9} `{}` {:<7} ", report.workload, report.inputs,
                                 report.tensor, harness::name_of(report.verdict));
  text += report.attack;
  if (told) return text + ": " + report.reason;
  text += fmt::format(": error {:.3g}, limit {:.3g}", report.error, report.limit);
  return report.gate.empty() ? text : text + " (" + report.gate + ")";
}

void print(const Screened& screened, const ScreenOptions& options, Terminal& terminal) {
  const auto lines = lines_of(screened);
  const std::string verdict = fmt::format("{:<11}", screened.verdict());
  const std::string head = screened.verdict() == "sound" ? verdict : terminal.bold(verdict);
  terminal.print(fmt::format("{} {}", head, screened.path));
  for (const std::string& line : lines) terminal.print("            " + line);
  if (!options.attacks || !screened.screening) return;
  for (const AttackReport& report : screened.screening->reports)
    terminal.print_verbatim(row_of(report));
}

Result<int> screen(const ScreenOptions& options, Terminal& terminal) {
  KP_TRY(const auto bench, loop::open_bench(options.device, stop_on_signals()));
  bool sound = true;
  nlohmann::json list = nlohmann::json::array();
  for (const std::string& path : options.tasks) {
    terminal.status("screening " + path);
    KP_TRY(const Screened screened, screen_one(path, bench, options));
    terminal.clear_status();
    if (interrupted()) return kInterrupted;
    sound = sound && screened.verdict() == "sound";
    if (options.json)
      list.push_back(to_json(screened));
    else
      print(screened, options, terminal);
  }
  if (options.json) terminal.print_json(list);
  return sound ? kDone : kFailed;
}

}  // namespace

void add_screen(CLI::App& app, Run& run) {
  auto options = std::make_shared<ScreenOptions>();
  CLI::App* command = app.add_subcommand("screen", "Can a task be passed without doing its work?");
  command->add_option("task", options->tasks, "task folders or files")->required();
  command->add_option("--device", options->device, kDeviceHelp);
  command->add_option("--seed", options->screen.seed, "of the inputs")->capture_default_str();
  command->add_flag("--timed", options->screen.timed,
                    "the time workloads too: what passes may depend on size");
  command->add_flag("--attacks", options->attacks, "a line for every attack");
  command->add_flag("--json", options->json, "one JSON list on standard output");
  command->footer(
      "Exit status 1 when a task is degenerate, quarantined or refused.\n"
      "Examples:\n"
      "  kernelpro screen tasks/softmax\n"
      "  kernelpro screen tasks/scan --attacks\n"
      "  kernelpro screen KernelBench/level1/*.py --json");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return screen(*options, terminal); };
  });
}

}  // namespace kp::cli
