// SPDX-License-Identifier: Apache-2.0
// What the session remembers of each node of the tree beside its reward: the candidate, what came
// of it, and what has been tried there.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/evaluation.h"
#include "model/finding.h"
#include "model/task.h"
#include "propose/proposer.h"
#include "search/tree.h"

namespace kp::loop {

struct Member {
  std::optional<Candidate> candidate;  // absent: virtual root, or a plan that could not be read
  std::string source;
  std::optional<Evaluation> evaluation;  // absent: virtual root
  std::optional<Diagnosis> diagnosis;    // of a measured one
  std::vector<propose::Attempt> attempts;
  bool looked_into = false;  // all metrics were asked for since it was judged
};

class Family {
 public:
  /// Nodes must be added in the order of their ids.
  void add(int parent, Member member, propose::Attempt attempt);
  const Member& at(int node) const { return members_[static_cast<std::size_t>(node)]; }
  /// What all metrics of a node say, in place of what few did; nothing when there was no more.
  void look_into(int node, std::optional<std::pair<Profile, Diagnosis>> fuller);
  std::size_t size() const { return members_.size(); }
  /// Candidates tried so far; a virtual root is none.
  int evaluations() const;
  /// Ids of all candidates in order of appearance.
  const std::vector<std::string>& known() const { return known_; }
  /// How the newest node counts for the search: by its measured ratio to the baseline where there
  /// is one, else the first measured time becomes speedup 1.
  search::Trial judge(const Member& member);
  /// The same for one measurement, without remembering it.
  double speedup_of(const Measured& measured) const;
  /// Time that counts as speedup 1, once something was measured.
  std::optional<double> reference_ns() const { return reference_ns_; }

 private:
  std::vector<Member> members_;
  std::vector<std::string> known_;
  std::optional<double> reference_ns_;
};

}  // namespace kp::loop
