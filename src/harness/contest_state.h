// SPDX-License-Identifier: Apache-2.0
// What a contest holds between its steps. Used by contest.cc, contest_round.cc (one round) and
// contest_verify.cc (what a round left behind).
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/random.h"
#include "harness/arena.h"
#include "harness/contest.h"
#include "harness/contest_shape.h"
#include "harness/samples.h"

namespace kp::harness {

using MaybeOutcome = Result<std::optional<Outcome>>;
using Played = std::variant<device::SeriesReport, Outcome>;

/// One contender with its sets of arrays.
struct Side {
  const Candidate* candidate;
  const build::Binary* binary;
  std::vector<std::unique_ptr<ArraySet>> sets;
};

struct Contest::State {
  const VerifyRequest& request;
  const Bench& bench;
  const Workload& workload;
  Random keys;
  Arena arena;
  std::vector<Side> sides;  // the candidate, then the baseline where there is one
  std::unique_ptr<Answers> answers;
  Samples samples;
  ContestShape shape;
  ContestReport report;
  std::uint64_t print_key = 0;
  std::vector<Hash128> prints;  // of the candidate's outputs, after the last round
  std::uint64_t next_set = 0;
  std::optional<double> run_time;  // nanoseconds of one run of the baseline, else of the candidate
  std::size_t active = 1;          // sets of each side that the round at hand uses

  std::span<const std::unique_ptr<ArraySet>> playing(const Side& side) const {
    return std::span(side.sets).first(active);
  }
  MaybeOutcome grow(std::size_t sets);
  MaybeOutcome open_set(Side& side);
  Result<void> fill();
  MaybeOutcome prepare(device::Loaded& loaded);
  MaybeOutcome prepare_side(const Side& side, device::Loaded& loaded);
  double deadline(std::size_t runs) const;
  MaybeOutcome time_baseline(device::Loaded& loaded);
  Result<Played> play(device::Loaded& loaded, const std::vector<device::Lap>& laps);
  Result<Played> round(device::Loaded& loaded, const std::vector<device::Lap>& laps);
  MaybeOutcome verify_outputs();
  MaybeOutcome verify_kept();
  MaybeOutcome verify_set(const ArraySet& set);
  MaybeOutcome judge(const ArraySet& set, const Tensor& tensor, const Comparison& comparison,
                     GateVerdict verdict);
  MaybeOutcome unwritten(const ArraySet& set);
  Result<std::vector<Hash128>> fingerprints();
  MaybeOutcome pilot(device::Loaded& loaded);
  MaybeOutcome measure(device::Loaded& loaded);
  std::vector<Pair> pairs_of(const device::SeriesReport& series) const;
  MaybeOutcome time_prepare(device::Loaded& loaded);
};

}  // namespace kp::harness
