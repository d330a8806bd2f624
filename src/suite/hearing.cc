// SPDX-License-Identifier: Apache-2.0
#include "suite/hearing.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/distance_gate.h"
#include "harness/value_sets.h"
#include "stats/stats.h"
#include "suite/own_kernels.h"

namespace kp::suite {
namespace {

constexpr int kRounds = 3;                // of the candidate and PyTorch in turns
constexpr int kRuns = 20;                 // in a round
constexpr int kFewest = 5, kMost = 2000;  // runs of a burst
constexpr double kBurst = 0.2;            // s
// A burst is warm and its launches overlap, so a run in it takes less than a timed one, but for the
// launches that the flush of the L2 hides: writing and reading 256 MiB takes 0.2 ms on an H200.
constexpr double kHidden = 250e3;  // ns
constexpr double kLeast = 500;     // ns; no kernel that does anything takes less between two events
constexpr double kForged = 2;      // times as much by our clock
constexpr const char* kEager = "eager";

ClaimVerdict verdict_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::kTimeout:
      return ClaimVerdict::kTimedOut;
    case ErrorCode::kUnsupported:
    case ErrorCode::kInvalidInput:
    case ErrorCode::kLimit:
      return ClaimVerdict::kRefused;
    default:
      return ClaimVerdict::kCrashed;
  }
}

}  // namespace

bool blame(Claim& claim, const Error& error) {
  claim.verdict = verdict_of(error);
  claim.reason = error.message;
  return false;
}

Result<std::vector<torch::OutputDistance>> Hearing::distances(const torch::Draw& draw,
                                                              const torch::RawOutputs& outputs) {
  return worker_.arbiter().compare({.problem = problem_,
                                    .draw = draw,
                                    .nudge = harness::rounding_error_of(Precision::kF32),
                                    .file = outputs.file.number(),
                                    .outputs = outputs.outputs});
}

/// An output that is not where it is said to be is the candidate's fault, a double that does not
/// fit is nobody's.
Result<bool> Hearing::not_compared(const Error& error) {
  if (error.code != ErrorCode::kInvalidInput && error.code != ErrorCode::kLimit)
    return tl::unexpected<Error>(error);
  blame(claim_, error);
  claim_.reason = "its outputs cannot be compared: " + error.message;
  return false;
}

Result<bool> Hearing::passes(const torch::Draw& draw, const Result<torch::RawOutputs>& made) {
  if (!made) return blame(claim_, made.error());
  const auto found = distances(draw, *made);
  if (!found) return not_compared(found.error());
  const auto precision = harness::tightest_class(*found);
  if (!precision) {
    claim_.precision.reset();
    claim_.verdict = ClaimVerdict::kWrong;
    claim_.reason = harness::why_not(*found, Precision::kBf16);
    return false;
  }
  claim_.precision = claim_.precision ? std::max(*claim_.precision, *precision) : *precision;
  claim_.verdict =
      *claim_.precision == Precision::kF32 ? ClaimVerdict::kPasses : ClaimVerdict::kCoarser;
  if (*precision != Precision::kF32) claim_.reason = harness::why_not(*found, Precision::kF32);
  return true;
}

void Hearing::make_published_check(const torch::Draw& draw) {
  const auto made = guest_.run(draw);
  if (!made) return;  // what it cannot run is its own fault; the verdict has other inputs
  const auto found = distances(draw, *made);
  if (!found) return;
  const auto close = [](const torch::OutputDistance& distance) {
    return !distance.shape_differs && distance.beyond_1e4 == 0;
  };
  claim_.published_check = !found->empty() && std::all_of(found->begin(), found->end(), close);
}

Result<bool> Hearing::time(const torch::Draw& draw) {
  std::vector<double> own, ratios;
  for (int round = 0; round < kRounds; ++round) {
    last_ = draw;
    last_.seed += 1 + static_cast<std::uint64_t>(round);
    auto times = guest_.time(draw, last_.seed, kRuns);
    if (!times) return blame(claim_, times.error());
    if (times->nanoseconds.empty())
      return blame(claim_, {ErrorCode::kUnavailable, "it gave no times", {}, {}, {}});
    const double median = stats::median(times->nanoseconds);
    Result<torch::RawOutputs> outputs = std::move(times->last);
    KP_TRY(const bool right, passes(last_, outputs));
    if (!right) return false;
    KP_TRY(const auto eager, eager_ns(draw));
    own.push_back(median);
    if (eager && median > 0) ratios.push_back(*eager / median);
  }
  claim_.nanoseconds = stats::median(own);
  if (!ratios.empty()) {
    const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
    claim_.over_eager = {stats::median(ratios), *least, *most};
  }
  return true;
}

Result<bool> Hearing::holds_against_our_clock() {
  const double own = std::max(*claim_.nanoseconds, kLeast);
  const int runs = std::clamp(static_cast<int>(kBurst * 1e9 / own), kFewest, kMost);
  if (const auto first = guest_.burst(last_, 1); !first) return blame(claim_, first.error());
  const auto few = guest_.burst(last_, 1), many = guest_.burst(last_, 1 + runs);
  if (!few || !many) return blame(claim_, few ? many.error() : few.error());
  const double outside = (*many - *few) * 1e9 / runs;
  const bool possible = *claim_.nanoseconds >= kLeast;
  if (possible && outside - kHidden <= kForged * *claim_.nanoseconds) return true;
  claim_.verdict = ClaimVerdict::kForged;
  claim_.reason = fmt::format("its clock says {:.1f} us, ours {:.1f} us for a run in a row of {}",
                              *claim_.nanoseconds / 1e3, outside / 1e3, runs);
  return false;
}

void Hearing::divide(const std::string& text) {
  const auto kernels = guest_.kernels(last_);
  if (kernels)
    divide_kernels(*kernels, kernels_defined_in(text), claim_);
  else
    claim_.remarks.push_back("its kernels were not seen: " + kernels.error().message);
}

Result<std::optional<double>> Hearing::eager_ns(const torch::Draw& draw) {
  KP_TRY(const auto timed, worker_.time({.problem = problem_,
                                         .constants = draw.constants,
                                         .modes = {kEager},
                                         .seed = draw.seed,
                                         .runs = kRuns}));
  return timed.median(kEager);
}

}  // namespace kp::suite
