// SPDX-License-Identifier: Apache-2.0
// One published candidate while it is judged. Used by judge_claim.cc.
#pragma once
#include <string>
#include <vector>

#include "suite/claim.h"
#include "torch/guest.h"
#include "torch/worker.h"

namespace kp::suite {

/// Puts down what the candidate is at fault for; false.
bool blame(Claim& claim, const Error& error);

/// Each step is false when the candidate could not be run or is wrong; the claim says why. Errors
/// are the worker's.
class Hearing {
 public:
  Hearing(torch::Worker& worker, torch::Guest& guest, int problem, Claim& claim)
      : worker_(worker), guest_(guest), problem_(problem), claim_(claim) {}

  /// Outputs of one run beside those in double. The class that they are within is kept, the
  /// coarsest of several runs.
  Result<bool> passes(const torch::Draw& draw, const Result<torch::RawOutputs>& made);
  /// The check that the task's own benchmark makes.
  void make_published_check(const torch::Draw& draw);
  /// Rounds of the candidate and of PyTorch; the outputs of each round's last run are judged too.
  Result<bool> time(const torch::Draw& draw);
  /// The guest could have patched its clock; ours cannot be reached from there.
  Result<bool> holds_against_our_clock();
  /// Whose kernels ran; `text` is the candidate's file.
  void divide(const std::string& text);

 private:
  Result<bool> not_compared(const Error& error);
  Result<std::vector<torch::OutputDistance>> distances(const torch::Draw& draw,
                                                       const torch::RawOutputs& outputs);
  Result<std::optional<double>> eager_ns(const torch::Draw& draw);

  torch::Worker& worker_;
  torch::Guest& guest_;
  int problem_;
  Claim& claim_;
  torch::Draw last_;  // that was timed
};

}  // namespace kp::suite
