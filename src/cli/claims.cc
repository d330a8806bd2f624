// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/secret.h"
#include "cli/command.h"
#include "cli/workshop.h"
#include "suite/claim_list.h"
#include "suite/guest_jail.h"
#include "suite/table.h"

namespace kp::cli {
namespace {

using suite::Claim;

struct ClaimsOptions {
  suite::ClaimSources sources;
  std::string device, python;
  std::vector<std::string> rivals;
  Path out;
  bool unconfined = false, json = false;
};

/// The worker that judges, and how guests are started.
struct Bench {
  std::unique_ptr<torch::Worker> worker;
  torch::WorkerOptions guest;
  std::string confinement;
};

/// On the device that was asked for, else on a GPU that PyTorch sees, else on the CPU.
Result<void> start_worker(const ClaimsOptions& options, Bench& bench) {
  bench.guest = {options.python, options.device.empty() ? "cuda" : options.device,
                 &stop_on_signals()};
  auto worker = torch::Worker::start(bench.guest);
  if (!worker && options.device.empty()) {
    bench.guest.device = "cpu";
    worker = torch::Worker::start(bench.guest);
  }
  KP_TRY(bench.worker, std::move(worker));
  bench.guest.python = bench.worker->installation().python;
  return {};
}

Result<Bench> open_bench(const ClaimsOptions& options) {
  Bench bench;
  KP_TRY_VOID(start_worker(options, bench));
  bench.confinement = "none";
  if (options.unconfined) return bench;
  KP_TRY(bench.confinement, suite::guest_confinement());
  bench.guest.confine = [python = bench.guest.python](ChildSpec child) {
    return suite::confined_guest(std::move(child), python);
  };
  return bench;
}

std::string factor(const std::optional<double>& value) {
  return value ? fmt::format("{:.3g}x", *value) : "";
}

std::vector<std::string> cells(const Claim& claim) {
  const auto& eager = claim.over_eager;
  return {
      claim.candidate.stem().string(),
      factor(claim.claimed),
      eager ? fmt::format("{:.3g}x ({:.3g} to {:.3g})", eager->middle, eager->least, eager->most)
            : "",
      claim.over_fastest ? fmt::format("{} ({})", factor(claim.over_fastest), claim.fastest) : "",
      claim.precision ? std::string(kp::name_of(*claim.precision)) : "",
      claim.published_check ? (*claim.published_check ? "passes" : "fails") : "",
      claim.own_share ? fmt::format("{:.0f} %", 100 * *claim.own_share) : "",
      std::string(name_of(claim.verdict))};
}

suite::Table table_of(const std::vector<Claim>& claims) {
  suite::Table table{.title = "Published candidates; trust: low, in no mean",
                     .columns = {"candidate", "claimed", "over eager", "over fastest", "class",
                                 "allclose 1e-4", "own kernels", "verdict"}};
  for (const Claim& claim : claims) table.rows.push_back(cells(claim));
  return table;
}

void print_details(const Claim& claim, Terminal& terminal) {
  const std::string name = claim.candidate.stem().string();
  if (!claim.reason.empty())
    terminal.print(fmt::format("{}: {}: {}", name, name_of(claim.verdict), claim.reason));
  for (const std::string& remark : claim.remarks) terminal.print(name + ": " + remark);
  for (const std::string& kernel : claim.library_kernels)
    terminal.print_verbatim(name + ": not its own: " + kernel);
}

void print(const ClaimsOptions& options, const std::vector<Claim>& claims, Terminal& terminal) {
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Claim& claim : claims) list.push_back(suite::to_json(claim));
    terminal.print_json({{"trust", "low"}, {"claims", list}});
    return;
  }
  terminal.print_verbatim(suite::to_string(table_of(claims), suite::Form::kText));
  for (const Claim& claim : claims) print_details(claim, terminal);
}

/// One that was judged on this device and has not changed since.
const Claim* known(const std::vector<Claim>& claims, const std::string& content,
                   const std::string& device) {
  const auto found = std::find_if(claims.begin(), claims.end(), [&](const Claim& claim) {
    return claim.content == content && claim.device == device;
  });
  return found != claims.end() ? &*found : nullptr;
}

Result<std::vector<Claim>> judged(const ClaimsOptions& options, const suite::ClaimList& list,
                                  Terminal& terminal) {
  KP_TRY(const Bench bench, open_bench(options));
  KP_TRY(std::vector<Claim> kept,
         options.out.empty() ? Result<std::vector<Claim>>() : suite::read_claims(options.out));
  KP_TRY(const std::uint64_t seed, secret_number());
  suite::ClaimJudge judge(*bench.worker, {bench.guest, bench.confinement, seed, options.rivals});
  std::vector<Claim> claims;
  for (const suite::ClaimRequest& request : list.requests) {
    KP_TRY(const std::string content, suite::claim_content(request, options.rivals));
    if (const Claim* old = known(kept, content, bench.worker->installation().device)) {
      claims.push_back(*old);
      claims.back().claimed = request.claimed;
      continue;
    }
    terminal.status("judging " + request.candidate.string());
    KP_TRY(Claim claim, judge.judge(request));
    terminal.clear_status();
    if (interrupted()) break;
    terminal.note(fmt::format("{}: {}", request.candidate.string(), name_of(claim.verdict)));
    kept.push_back(claim);
    if (!options.out.empty()) {
      KP_TRY_VOID(suite::write_claims(options.out, kept));
    }
    claims.push_back(std::move(claim));
  }
  return claims;
}

Result<int> claims(const ClaimsOptions& options, Terminal& terminal) {
  KP_TRY(const suite::ClaimList list, suite::list_claims(options.sources));
  for (const Path& stranger : list.strangers)
    terminal.note(stranger.string() + ": answers no problem of " + options.sources.tasks.string());
  KP_TRY(const auto all, judged(options, list, terminal));
  print(options, all, terminal);
  return interrupted() ? kInterrupted : kDone;
}

}  // namespace

void add_claims(CLI::App& app, Run& run) {
  auto options = std::make_shared<ClaimsOptions>();
  CLI::App* command = app.add_subcommand(
      "claims", "Judge published candidates in Python (class ModelNew), which are never trusted");
  command->add_option("candidate", options->sources.candidates, "Python files, or folders of them")
      ->required();
  command
      ->add_option("--tasks", options->sources.tasks,
                   "the problem that they answer, or a folder of problems")
      ->required();
  command->add_option("--claimed", options->sources.claimed,
                      "JSON file of speedups that were published: {\"25_Swish\": 3.1}");
  command
      ->add_option("--device", options->device,
                   "cpu, cuda or cuda:N; default: a GPU if one is there")
      ->check(device_of_torch());
  command->add_option("--python", options->python, "a Python that has PyTorch");
  command->add_option(
      "--baseline", options->rivals,
      "FILE.py:FUNCTION, a library's call or a kernel of yours to be timed beside PyTorch");
  command->add_option("--out", options->out,
                      "keep what is found here, a line of JSON each; what is there already is not "
                      "judged again");
  command->add_flag("--unconfined", options->unconfined,
                    "run candidates as programs of yours where no sandbox works");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Examples:\n"
      "  kernelpro claims my_swish.py --tasks KernelBench/level1/25_Swish.py\n"
      "  kernelpro claims published/level1 --tasks KernelBench --claimed speedups.json --out "
      "claims.jsonl");
  command->callback([options, &run] {
    run = [options](Terminal& terminal) { return claims(*options, terminal); };
  });
}

}  // namespace kp::cli
