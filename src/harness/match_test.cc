// SPDX-License-Identifier: Apache-2.0
#include "harness/match.h"

#include <algorithm>
#include <cmath>

#include "harness/device_fixture.h"

namespace kp::harness {
namespace {

class MatchTest : public HardwareTest {
 protected:
  static bool has_note(const Evaluation& evaluation, const std::string& part) {
    const auto& notes = evaluation.notes;
    return std::any_of(notes.begin(), notes.end(), [&part](const std::string& note) {
      return note.find(part) != std::string::npos;
    });
  }
};

TEST_F(MatchTest, SeveralWorkloadsGiveGeometricMeansOfTimesAndRatios) {
  bend_.candidate_factor = 0.5;
  std::string text = kScale;
  const std::string check = "check  n = 777";
  text.replace(text.find(check), check.size(), check + "\ntime   n = 1000");
  const auto evaluation = evaluate(text, Depth::kQuick, text);
  ASSERT_TRUE(evaluation) << evaluation.error().text();
  const Measured* measured = evaluation->measured();
  ASSERT_NE(measured, nullptr) << summary(*evaluation);
  ASSERT_EQ(measured->workloads.size(), 2u);
  const TimedWorkload &first = measured->workloads[0], &second = measured->workloads[1];
  EXPECT_NEAR(measured->nanoseconds, std::sqrt(first.nanoseconds * second.nanoseconds), 1e-6);
  ASSERT_TRUE(measured->speedup && first.speedup && second.speedup);
  EXPECT_NEAR(measured->speedup->value, std::sqrt(first.speedup->value * second.speedup->value),
              1e-9);
  EXPECT_EQ(measured->speedup->pairs, first.speedup->pairs + second.speedup->pairs);
}

TEST_F(MatchTest, FirstLaunchesThatAreSlowerThanLaterOnesAreNoted) {
  bend_.before_set = [this](std::vector<device::BoundStep> steps) {
    bend_.candidate_factor = bench_->loads > 2 ? 20 : 1;  // after the contest's own process
    return steps;
  };
  const auto evaluation = evaluate(kScale, Depth::kFinal);
  ASSERT_TRUE(evaluation) << evaluation.error().text();
  ASSERT_NE(evaluation->measured(), nullptr) << summary(*evaluation);
  const auto& labels = evaluation->measured()->labels;
  EXPECT_TRUE(std::ranges::any_of(labels, [](const Label& label) {
    return label.name == "stateful" &&
           label.text.starts_with("first launches in fresh processes take");
  }));
}

TEST_F(MatchTest, AnHonestCandidateIsNotCalledStatefulAndItsNotesNameTheReference) {
  const auto evaluation = evaluate(kScale, Depth::kFinal);
  ASSERT_TRUE(evaluation) << evaluation.error().text();
  ASSERT_NE(evaluation->measured(), nullptr) << summary(*evaluation);
  EXPECT_TRUE(evaluation->measured()->labels.empty());
  EXPECT_TRUE(has_note(*evaluation, "against the baseline, with twice the gate"));
  EXPECT_TRUE(has_note(*evaluation, "runs of the plan verified"));
  EXPECT_TRUE(has_note(*evaluation, "SM 1980 MHz"));
}

TEST_F(MatchTest, EventsAreHeldAgainstCuptiAtFinalDepthAndWhatIsMissingIsNoted) {
  const auto without = evaluate(kScale, Depth::kFinal);
  ASSERT_TRUE(without) << without.error().text();
  EXPECT_TRUE(has_note(*without, "events not compared with CUPTI's spans"));
  bend_.trace = [](const device::TraceRequest& request) {
    const auto& launch = std::get<device::BoundLaunch>(request.steps[0]);
    device::TraceReport report{.event_nanoseconds = 5e4};
    device::TracedKernel& kernel = report.kernels.emplace_back();
    kernel.name = launch.kernel;
    std::ranges::copy(launch.shape.grid, kernel.grid);
    std::ranges::copy(launch.shape.block, kernel.block);
    kernel.end = 1e5;
    return report;
  };
  EXPECT_EQ(summary(*evaluate(kScale, Depth::kFinal)).substr(0, 14), "rejected: span");
  EXPECT_NE(evaluate(kScale)->measured(), nullptr) << "quick verdicts do not trace";
}

TEST_F(MatchTest, TheFullProfileOfAMeasuredCandidateAsksForMoreThanItsFirstOne) {
  std::vector<std::size_t> asked;
  bend_.counters = [&asked](const device::CountRequest& request) -> Result<device::CountReport> {
    asked.push_back(request.metrics.size());
    device::LaunchReport launch;
    launch.metrics.set(metric::kWarpsEligible, 3.5, Grade::kMeasured);
    return device::CountReport{{}, {launch}, 1};
  };
  auto harness = open();
  ASSERT_TRUE(harness) << harness.error().text();
  const auto candidate = task::make_candidate(harness->task(), kScale, "candidate.cu");
  ASSERT_TRUE(candidate);
  const auto evaluation = harness->evaluate(*candidate, Depth::kQuick);
  ASSERT_TRUE(evaluation && evaluation->measured());
  const auto full = harness->profile_fully(*candidate);
  ASSERT_TRUE(full) << full.error().text();
  ASSERT_TRUE(full->has_value());
  EXPECT_EQ((*full)->workload, evaluation->measured()->profile.workload);
  EXPECT_EQ((*full)->kernels.front().metrics.get(metric::kWarpsEligible), 3.5);
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_GT(asked[1], asked[0]);
}

TEST_F(MatchTest, ACandidateThatFailsWhenItIsProfiledAgainHasNoFullProfile) {
  auto harness = open();
  ASSERT_TRUE(harness) << harness.error().text();
  const std::string broken = std::string(kScale) + "#error broken\n";
  const auto candidate = task::make_candidate(harness->task(), broken, "candidate.cu");
  ASSERT_TRUE(candidate);
  const auto full = harness->profile_fully(*candidate);
  ASSERT_TRUE(full) << full.error().text();
  EXPECT_FALSE(full->has_value());
}

/// The baseline with another text.
std::string another() { return std::string(kScale) + "// another\n"; }

TEST_F(MatchTest, ACandidateWithoutOneGoodSampleIsOneVerdictAmongOthers) {
  bend_.clock = [](int contender, int) { return contender == 0 ? 1.98e9 : 0.3e9; };
  auto harness = open();
  ASSERT_TRUE(harness) << harness.error().text();
  const auto candidate = task::make_candidate(harness->task(), another(), "candidate.cu");
  ASSERT_TRUE(candidate);
  const auto evaluation = harness->evaluate(*candidate, Depth::kQuick);
  ASSERT_TRUE(evaluation) << evaluation.error().text();
  EXPECT_TRUE(summary(*evaluation).starts_with("rejected: void-samples")) << summary(*evaluation);
  bend_.clock = {};
  const auto later = harness->evaluate(*candidate, Depth::kQuick);
  ASSERT_TRUE(later) << later.error().text();
  EXPECT_NE(later->measured(), nullptr) << summary(*later);
}

TEST_F(MatchTest, SamplesThatAreVoidForAWhileAreRepeated) {
  for (const std::string& source : {std::string(kScale), another()}) {
    int asked = 0;
    // The first lap of the baseline, the pilot, and the 24 pairs after which a quick contest gives
    // up.
    bend_.clock = [&asked](int, int) { return ++asked < 53 ? 0.3e9 : 1.98e9; };
    const auto evaluation = evaluate(source);
    ASSERT_TRUE(evaluation) << evaluation.error().text();
    EXPECT_NE(evaluation->measured(), nullptr) << summary(*evaluation);
    EXPECT_GE(asked, 53);
  }
}

TEST_F(MatchTest, PairsUnderThePowerLimitCountAndAreNoted) {
  bend_.clock = [](int, int lap) { return lap % 2 == 0 ? 1.36e9 : 1.37e9; };
  const auto evaluation = evaluate(another());
  ASSERT_TRUE(evaluation) << evaluation.error().text();
  ASSERT_NE(evaluation->measured(), nullptr) << summary(*evaluation);
  EXPECT_NEAR(evaluation->measured()->speedup->value, 1, 0.005);
  EXPECT_TRUE(has_note(*evaluation, "under this GPU's power limit"));
}

}  // namespace
}  // namespace kp::harness
