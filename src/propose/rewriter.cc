// SPDX-License-Identifier: Apache-2.0
// The built-in proposer: the rewrites that carry out the prescriptions of the diagnosis, the most
// promising first; then the other values of tune parameters.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "propose/catalog.h"
#include "propose/rewrite.h"
#include "task/task.h"

namespace kp::propose {
namespace {

class Rewriter final : public Proposer {
 public:
  std::string_view name() const override { return "rewriter"; }
  Result<std::vector<Proposal>> propose(const Request& request) override;
};

std::string identity(const Proposal& proposal, const Task& task) {
  auto candidate = task::make_candidate(task, proposal.source, "candidate.cu", proposal.tune);
  return candidate ? candidate->id() : "";
}

/// Collects proposals until enough are there; leaves out what the run has seen and what has no
/// readable plan.
class Collector {
 public:
  explicit Collector(const Request& request) : request_(request) {}
  bool full() const { return static_cast<int>(proposals_.size()) >= request_.most; }
  void offer(Proposal proposal) {
    if (full()) return;
    const std::string id = identity(proposal, request_.task);
    const auto& known = request_.known;
    if (id.empty() || std::find(known.begin(), known.end(), id) != known.end()) return;
    if (std::find(offered_.begin(), offered_.end(), id) != offered_.end()) return;
    offered_.push_back(id);
    proposals_.push_back(std::move(proposal));
  }
  std::vector<Proposal> take() { return std::move(proposals_); }

 private:
  const Request& request_;
  std::vector<Proposal> proposals_;
  std::vector<std::string> offered_;
};

/// Each further idea for the same finding is worth this much of the one before: when the best fix
/// did not help, or its variant is tried, another finding is often the better bet.
constexpr double kNextIdea = 0.5;

/// A version and what it promises.
struct Idea {
  Proposal proposal;
  double worth = 0;  // logarithm of the gain to expect
};

/// The versions that carry out one prescription, best first.
std::vector<Rewritten> carry_out(const Prescription& prescription, const Subject& subject) {
  std::vector<Rewritten> versions;
  for (const auto& rewrite : rewrites()) {
    if (rewrite->about().action != prescription.action) continue;
    auto result = rewrite->apply(subject);
    auto* rewritten = std::get_if<std::vector<Rewritten>>(&result);
    if (rewritten) std::move(rewritten->begin(), rewritten->end(), std::back_inserter(versions));
  }
  return versions;
}

/// All ideas for one finding: the best version for each prescription, then the second best, ...
std::vector<Idea> ideas_for(const Finding& finding, const Subject& subject) {
  std::vector<std::vector<Rewritten>> versions;
  std::size_t rounds = 0;
  for (const Prescription& prescription : finding.prescriptions) {
    versions.push_back(carry_out(prescription, subject));
    rounds = std::max(rounds, versions.back().size());
  }
  std::vector<Idea> ideas;
  double worth = std::log(std::max(1.0, finding.gain.low) * std::max(1.0, finding.gain.high)) / 2;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < versions.size(); ++k) {
      if (round >= versions[k].size()) continue;
      Rewritten& version = versions[k][round];
      ideas.push_back({{std::move(version.source), subject.candidate.tune, std::move(version.idea),
                        finding.tool, finding.prescriptions[k].action, finding.gain},
                       worth});
      worth *= kNextIdea;
    }
  }
  return ideas;
}

void offer_ideas(const Request& request, Collector& collector) {
  const build::SourceTree tree(request.parent->source);
  std::vector<Idea> ideas;
  for (const Finding& finding : request.diagnosis->findings) {
    auto more = ideas_for(finding, Subject{request.task, *request.parent, tree, &finding});
    std::move(more.begin(), more.end(), std::back_inserter(ideas));
  }
  std::stable_sort(ideas.begin(), ideas.end(),
                   [](const Idea& a, const Idea& b) { return a.worth > b.worth; });
  for (Idea& idea : ideas) collector.offer(std::move(idea.proposal));
}

std::string describe(const Bindings& tune) {
  std::string text;
  for (const auto& [name, value] : tune) {
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  }
  return text;
}

Result<void> sweep(const Request& request, Collector& collector) {
  KP_TRY(const auto choices, task::tune_choices(request.task, request.parent->plan));
  for (const Bindings& tune : choices) {
    collector.offer({request.parent->source,
                     tune,
                     "tries " + describe(tune),
                     "",
                     std::string(diagnose::action::kTune),
                     {}});
  }
  return {};
}

Result<std::vector<Proposal>> Rewriter::propose(const Request& request) {
  // A known fix needs a known fault: it neither writes from nothing nor repairs what it cannot
  // diagnose.
  if (request.role != search::Role::kImprove || !request.parent) return std::vector<Proposal>{};
  Collector collector(request);
  if (request.diagnosis) offer_ideas(request, collector);
  if (!collector.full()) KP_TRY_VOID(sweep(request, collector));
  return collector.take();
}

}  // namespace

std::unique_ptr<Proposer> make_rewriter() { return std::make_unique<Rewriter>(); }

}  // namespace kp::propose
