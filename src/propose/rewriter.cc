// SPDX-License-Identifier: Apache-2.0
// The built-in proposer: for each prescription of the diagnosis, in rank order, the rewrite that
// carries it out; then the other values of tune parameters.
#include <algorithm>

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

void carry_out(const Finding& finding, const Prescription& prescription, const Subject& subject,
               Collector& collector) {
  for (const auto& rewrite : rewrites()) {
    if (rewrite->about().action != prescription.action || collector.full()) continue;
    auto result = rewrite->apply(subject);
    auto* rewritten = std::get_if<std::vector<Rewritten>>(&result);
    if (!rewritten) continue;
    for (Rewritten& version : *rewritten) {
      collector.offer({std::move(version.source), subject.candidate.tune, std::move(version.idea),
                       finding.tool, prescription.action, finding.gain});
    }
  }
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
  if (request.diagnosis) {
    const build::SourceTree tree(request.parent->source);
    for (const Finding& finding : request.diagnosis->findings) {
      const Subject subject{request.task, *request.parent, tree, &finding};
      for (const Prescription& prescription : finding.prescriptions) {
        carry_out(finding, prescription, subject, collector);
      }
    }
  }
  if (!collector.full()) KP_TRY_VOID(sweep(request, collector));
  return collector.take();
}

}  // namespace

std::unique_ptr<Proposer> make_rewriter() { return std::make_unique<Rewriter>(); }

}  // namespace kp::propose
