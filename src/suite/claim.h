// SPDX-License-Identifier: Apache-2.0
// What is found out of a published candidate (docs/claims.md). Trust is low whatever the verdict:
// its host code ran, and could have done anything that is not looked for. No mean holds it.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "model/dtype.h"

namespace kp::suite {

enum class ClaimVerdict {
  kPasses,    // in the class of the task
  kCoarser,   // in a coarser class
  kWrong,     // in none
  kRefused,   // it cannot be run: no ModelNew, it does not compile, it raises
  kCrashed,   // its process ended
  kTimedOut,  // it did not answer in time
  kForged,    // its clock disagrees with ours
};
std::string_view name_of(ClaimVerdict verdict);
inline constexpr ClaimVerdict kClaimVerdicts[] = {
    ClaimVerdict::kPasses,  ClaimVerdict::kCoarser,  ClaimVerdict::kWrong, ClaimVerdict::kRefused,
    ClaimVerdict::kCrashed, ClaimVerdict::kTimedOut, ClaimVerdict::kForged};

/// Measured speedup: the median of rounds, and the least and the most of them.
struct ClaimedRatio {
  double middle = 0, least = 0, most = 0;
};

struct Claim {
  Path candidate, task;
  std::string content;  // hash of both files' texts
  std::string device;   // "NVIDIA H200", "cpu"
  ClaimVerdict verdict = ClaimVerdict::kRefused;
  std::string reason;                       // of any verdict but kPasses
  std::optional<double> claimed;            // speedup that was published
  std::optional<Precision> precision;       // tightest class that it passes
  std::optional<bool> published_check;      // allclose at 1e-4 with the author's inputs
  std::optional<double> nanoseconds;        // median of timed runs
  std::map<std::string, double> baselines;  // PyTorch's ns by mode, at equal precision
  std::optional<ClaimedRatio> over_eager;   // PyTorch's defaults
  std::optional<double> over_fastest;       // of `baselines`
  std::string fastest;
  std::optional<double> own_share;           // of its GPU time, in kernels that its file defines
  std::vector<std::string> library_kernels;  // the others, the longest first
  std::string confinement;                   // "bubblewrap", "none"
  std::vector<std::string> remarks;
  double seconds = 0;
};

nlohmann::json to_json(const Claim& claim);
Result<Claim> claim_from(const nlohmann::json& json);

}  // namespace kp::suite
