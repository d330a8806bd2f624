// SPDX-License-Identifier: Apache-2.0
// Who writes candidates. The rewriter is one; language models, agents and people come behind the
// same verb. catalog.cc lists them.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "llm/metered.h"
#include "model/device_spec.h"
#include "model/evaluation.h"
#include "model/experience.h"
#include "model/finding.h"
#include "model/task.h"
#include "propose/options.h"
#include "search/strategy.h"

namespace kp::propose {

/// Something that was tried at this node before, whatever came of it.
struct Attempt {
  std::string candidate;  // Candidate::id()
  std::string action;     // of the proposal that led to it
  Bindings tune;
  std::string idea;            // one sentence
  std::string outcome;         // summary() of its evaluation, one line
  std::optional<double> gain;  // over this node, when both were measured
};

/// All that a proposer is given for one ask.
struct Request {
  const Task& task;
  search::Role role = search::Role::kImprove;
  const Candidate* parent = nullptr;       // null for kSeed
  const Evaluation* evaluation = nullptr;  // of the parent
  const Diagnosis* diagnosis = nullptr;    // of the parent, when it ran
  std::optional<double> speedup;           // of the parent over the baseline, when both ran
  std::span<const Attempt> attempts;       // at this node, in order
  std::span<const std::string> known;  // ids of all candidates of the run: never propose one again
  std::span<const Experience> memory;  // search memory that fits this node, most alike first
  const DeviceSpec* spec = nullptr;    // of the device; null when it is not known yet
  int ask = 0;                         // number of this ask in the run, from 0
  int most = 1;                        // how many proposals are wanted at most
  std::uint64_t seed = 1;
  const StopFlag* stop = nullptr;             // null: cannot be interrupted
  std::vector<std::string>* notes = nullptr;  // gets what a reader of the run should know; or null
};

/// One candidate to try and why.
struct Proposal {
  std::string source;
  Bindings tune;                     // empty: the default
  std::string idea;                  // one sentence for people
  std::string tool;                  // the finding's tool; empty when no finding led here
  std::string action;                // diagnose/actions.h
  Gain predicted;                    // of the run over the parent
  std::vector<std::string> sources;  // files of code search that were read for it
};

class Proposer {
 public:
  virtual ~Proposer() = default;
  virtual std::string_view name() const = 0;
  /// At most `request.most` proposals, best first; may be none.
  virtual Result<std::vector<Proposal>> propose(const Request& request) = 0;
  /// Whether none will come of a later ask either, when none came of `request`.
  virtual bool exhausted(const Request&) const { return true; }
  /// What a model used in the run so far, the past among it; absent where there is no model.
  virtual std::optional<llm::Spending> spent() const { return std::nullopt; }
};

/// What earlier processes of the same run did.
struct Past {
  llm::Spending spent;      // by all proposers
  std::size_t replies = 0;  // that this proposer's model gave; scripted ones go on behind them
};

/// "rewriter"; "scripted:FILE" (a JSON list of proposals, for tests and demonstrations);
/// "command:CMD" (a shell command that gets the prompt and prints a reply); or a model as
/// llm::make_chat knows it: "anthropic:MODEL", "openai:MODEL@URL", ..., and "scripted-chat:FILE"
/// for its "scripted:FILE". kNotFound lists them.
Result<std::unique_ptr<Proposer>> make_proposer(const std::string& name,
                                                const ProposerOptions& options = {},
                                                const Past& past = {});

}  // namespace kp::propose
