// SPDX-License-Identifier: Apache-2.0
#include "diagnose/remedy.h"

#include <gtest/gtest.h>

#include "diagnose/actions.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

/// 64 loads of each thread, packed.
SampleKernel looping() {
  SampleKernel sample;
  sample.set({{metric::kGlobalLoadInst, 64 * 262144.0 * 8}});
  return sample;
}

std::optional<Remedy> remedy(Stall reason, const SampleKernel& sample, const Stalls& stalls = {}) {
  return remedy_for(reason, sample.evidence(), stalls);
}

std::string_view first(const std::optional<Remedy>& remedy) {
  return remedy ? std::string_view(remedy->prescriptions.at(0).action) : "none";
}

TEST(Remedy, HasOneForEachReasonThatNoOtherToolNames) {
  EXPECT_EQ(first(remedy(Stall::kLongScoreboard, looping())), action::kUnroll);
  EXPECT_EQ(first(remedy(Stall::kFixedLatency, looping())), action::kUnroll);
  EXPECT_EQ(first(remedy(Stall::kDrain, looping())), action::kGridStride);
  EXPECT_EQ(first(remedy(Stall::kNoInstruction, looping())), action::kTune);
  for (const Stall reason : {Stall::kBarrier, Stall::kMembar, Stall::kMathPipe}) {
    EXPECT_FALSE(remedy(reason, looping()));
  }
}

TEST(Remedy, LeavesSpillsToRegisterSpill) {
  SampleKernel sample = looping();
  sample.set({{metric::kLocalLoadSectors, 8.4e6}});
  EXPECT_FALSE(remedy(Stall::kLongScoreboard, sample));
}

TEST(Remedy, LeavesBankConflictsAndBarriersToTheirTools) {
  SampleKernel sample = looping();
  sample.set({{metric::kSharedLoadInst, 1e6}, {metric::kSharedLoadWavefronts, 1e6}});
  EXPECT_EQ(first(remedy(Stall::kShortScoreboard, sample)), action::kRegisterTile);
  Stalls stalls;
  stalls.shares[static_cast<std::size_t>(Stall::kBarrier)] = 0.2;
  EXPECT_FALSE(remedy(Stall::kShortScoreboard, sample, stalls));
  sample.set({{metric::kSharedLoadConflicts, 1e6}, {metric::kSharedLoadWavefronts, 2e6}});
  EXPECT_FALSE(remedy(Stall::kShortScoreboard, sample));
}

TEST(Remedy, PointsAtLinesOfWhatIsWaitedFor) {
  const LineProfile line{.instructions = 1, .global_requests = 2, .shared_wavefronts = 3};
  EXPECT_EQ(remedy(Stall::kLongScoreboard, looping())->weight(line), 2);
  EXPECT_EQ(remedy(Stall::kFixedLatency, looping())->weight(line), 1);
}

}  // namespace
}  // namespace kp::diagnose
