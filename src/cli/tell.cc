// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "loop/stored_run.h"
#include "propose/llm/reply.h"
#include "task/task.h"

namespace kp::cli {
namespace {

constexpr int kMostFromReply = 16;  // candidates; a person hands in what they choose to

struct TellOptions {
  std::string run;
  int node = 0;
  std::vector<std::string> files;
  std::string idea;
  bool nothing = false, json = false;
};

Result<std::string> text_of(const std::string& file) {
  if (file != "-") return read_text(file);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

/// A kernel as it is. A plan that cannot be read is refused: who wrote it is there to mend it.
Result<std::vector<propose::Proposal>> kernel_of(const Task& task, const std::string& file,
                                                 std::string source) {
  KP_TRY(const auto candidate, task::make_candidate(task, source, file));
  propose::Proposal proposal;
  proposal.source = std::move(source);
  proposal.idea = "handed in as " + Path(file).filename().string();
  return std::vector{std::move(proposal)};
}

/// The candidates of a reply, in whatever form models send them.
Result<std::vector<propose::Proposal>> reply_of(const Task& task, const loop::Member& parent,
                                                const std::string& file, const std::string& text) {
  auto parsed =
      propose::parse_reply(text, {task, parent.candidate ? &*parent.candidate : nullptr,
                                  parent.diagnosis ? &*parent.diagnosis : nullptr, kMostFromReply});
  if (auto* proposals = std::get_if<std::vector<propose::Proposal>>(&parsed)) {
    return std::move(*proposals);
  }
  return fail(ErrorCode::kInvalidInput, file + ": " + std::get<propose::Fault>(parsed).sentence,
              "nothing was handed in; docs/candidate.md says what a candidate is");
}

Result<std::vector<propose::Proposal>> read_proposals(loop::LiveRun& run,
                                                      const TellOptions& options) {
  std::vector<propose::Proposal> all;
  for (const std::string& file : options.files) {
    KP_TRY(auto text, text_of(file));
    const bool is_kernel = Path(file).extension() == ".cu";
    // A node that is not there is refused with the others' names when the candidate is handed in.
    const bool there = options.node < run.nodes();
    KP_TRY(const auto parent,
           there ? run.member(options.node) : Result<loop::Member>(loop::Member{}));
    KP_TRY(auto some, is_kernel ? kernel_of(run.task(), file, std::move(text))
                                : reply_of(run.task(), parent, file, text));
    for (auto& proposal : some) {
      if (!options.idea.empty()) proposal.idea = options.idea;
      all.push_back(std::move(proposal));
    }
  }
  return all;
}

void print(const std::vector<loop::HandedIn>& handed, const TellOptions& options,
           Terminal& terminal) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& one : handed) {
    list.push_back({{"proposal", one.proposal}, {"known", one.known}});
    if (options.json) continue;
    terminal.print(fmt::format("proposal {} for #{}{}", one.proposal, options.node,
                               one.known ? ": the run has it already" : ""));
  }
  if (options.json) terminal.print_json({{"run", options.run}, {"proposals", list}});
  if (!options.json) terminal.note("next: kernelpro work " + options.run);
}

Result<int> tell(const TellOptions& options, Terminal& terminal) {
  if (options.files.empty() != options.nothing) {
    return fail(ErrorCode::kInvalidInput, "give either files or --nothing",
                "--nothing says that there is no further idea for the node");
  }
  KP_TRY(auto stored, loop::open_shared(options.run));
  KP_TRY(auto run, loop::LiveRun::open(std::move(stored.store), stored.settings, stored.task));
  if (options.nothing) {
    KP_TRY_VOID(run.pass(options.node));
    return kDone;
  }
  KP_TRY(auto proposals, read_proposals(run, options));
  KP_TRY(const auto handed, run.volunteer(options.node, std::move(proposals)));
  print(handed, options, terminal);
  return kDone;
}

}  // namespace

void add_tell(CLI::App& app, Run& run) {
  auto options = std::make_shared<TellOptions>();
  CLI::App* command = app.add_subcommand("tell", "Hand in candidates for a node");
  command->add_option("run", options->run, "folder of the run")->required();
  command->add_option("node", options->node, "node that they come from")
      ->required()
      ->check(at_least(0));
  command->add_option("files", options->files,
                      "kernels (.cu), or replies of a model in any form; - is standard input");
  command->add_option("--idea", options->idea, "one sentence: what is new");
  command->add_flag("--nothing", options->nothing, "there is no further idea for this node");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Examples:\n"
      "  kernelpro tell runs/mine 0 better.cu --idea \"reads whole rows\"\n"
      "  kernelpro ask runs/mine | some-model | kernelpro tell runs/mine 0 -");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return tell(*options, terminal); };
  });
}

}  // namespace kp::cli
