// SPDX-License-Identifier: Apache-2.0
#include "cli/proposer_flags.h"

#include <map>

#include "cli/command.h"

namespace kp::cli {
namespace {

template <class Enum>
std::map<std::string, Enum> by_name(const auto& all) {
  std::map<std::string, Enum> names;
  for (const Enum value : all) names.emplace(propose::name_of(value), value);
  return names;
}

void add_feedback(CLI::App& command, propose::ProposerOptions& options) {
  command
      .add_option("--arm", options.arm,
                  "what a model is told of how a kernel ran: tools, raw, ncu, placebo or none")
      ->transform(CLI::CheckedTransformer(by_name<propose::Arm>(propose::kArms)))
      ->default_str("tools");
  command
      .add_option("--invocation", options.invocation,
                  "proactive: in the prompt; reactive: the model calls for it")
      ->transform(CLI::CheckedTransformer(by_name<propose::Invocation>(propose::kInvocations)))
      ->default_str("proactive");
  command.add_flag("!--no-memory", options.memory, "a model is not told what was tried before");
  command
      .add_option("--code-root", options.code_roots,
                  "folder whose sources a model may search and whose headers candidates of level "
                  "cute and cutlass may include; may be repeated")
      ->allow_extra_args(false);
}

void add_sampling(CLI::App& command, propose::ProposerOptions& options) {
  command
      .add_option("--seeds", options.seeds,
                  "first versions from nothing, for each temperature; tasks without baseline")
      ->check(at_least(1))
      ->capture_default_str();
  command
      .add_option("--temperature", options.temperatures,
                  "one or several with commas, used in turn; the server's default when not given")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 2.0));
}

void add_budget(CLI::App& command, propose::ProposerOptions& options) {
  command
      .add_option("--max-tokens", options.most_tokens,
                  "tokens that a model may read and write; no limit when 0 or not given")
      ->check(at_least(0));
  command
      .add_option("--max-cost", options.most_cost,
                  "what a model may cost, by the price file; no limit when 0 or not given")
      ->check(at_least(0));
  command.add_option("--prices", options.prices, "price file; the shipped one when not given");
  command.add_option("--record", options.record,
                     "file that keeps what a model said and what was judged, for replay:FILE");
}

}  // namespace

void add_proposer_flags(CLI::App& command, propose::ProposerOptions& options) {
  add_feedback(command, options);
  add_sampling(command, options);
  add_budget(command, options);
}

}  // namespace kp::cli
