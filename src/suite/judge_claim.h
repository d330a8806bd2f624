// SPDX-License-Identifier: Apache-2.0
// Judges published candidates (docs/claims.md): their outputs by PyTorch in double, their times
// beside PyTorch's own in turns, their clock beside ours.
#pragma once
#include <map>
#include <string>
#include <utility>

#include "suite/claim.h"
#include "torch/guest.h"
#include "torch/worker.h"

namespace kp::suite {

struct ClaimRequest {
  Path candidate, task;
  std::optional<double> claimed;
};

struct ClaimTerms {
  torch::WorkerOptions guest;       // how candidates are started
  std::string confinement;          // what that is: "bubblewrap", "none"
  std::uint64_t seed = 0;           // secret
  std::vector<std::string> rivals;  // "FILE.py:FUNCTION", baselines beside PyTorch's own
};

class ClaimJudge {
 public:
  ClaimJudge(torch::Worker& worker, ClaimTerms terms) : worker_(worker), terms_(std::move(terms)) {}

  /// Sizes, and the inputs that may be normal. A problem that is no task of ours is judged with its
  /// author's inputs.
  struct Setting {
    torch::Constants constants;
    std::vector<std::string> redrawn;
    std::optional<std::string> remark;
  };

  /// On a GPU at the problem's own size, elsewhere at its larger check size and without times.
  /// Errors are those of the task and of the worker; what the candidate does is in the claim.
  Result<Claim> judge(const ClaimRequest& request);

 private:
  struct Baselines {
    std::map<std::string, double> nanoseconds;  // by mode
    std::vector<std::string> remarks;           // on those that were not timed
  };
  bool on_gpu() const { return terms_.guest.device != "cpu"; }
  /// Whether it was found right and could be timed.
  Result<bool> hear(const Setting& setting, int problem, Claim& claim);
  Result<Baselines> baselines(const torch::Problem& problem, const torch::Constants& constants,
                              const std::string& precision);

  torch::Worker& worker_;
  ClaimTerms terms_;
  std::map<std::pair<std::string, std::string>, Baselines> known_;  // by task and precision
};

/// Hash of what a claim depends on: both files' texts, and which baselines are named.
Result<std::string> claim_content(const ClaimRequest& request,
                                  const std::vector<std::string>& rivals);

}  // namespace kp::suite
