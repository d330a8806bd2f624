// SPDX-License-Identifier: Apache-2.0
// Whole evaluations on a bench that says it is hardware.
#include "harness/contest.h"

#include <cstring>

#include "base/check.h"
#include "harness/device_fixture.h"

namespace kp::harness {
namespace {

class ContestTest : public HardwareTest {
 protected:
  std::string verdict(Depth depth = Depth::kQuick, const std::string& source = kScale) {
    const auto evaluation = evaluate(source, depth);
    return evaluation ? summary(*evaluation) : "error: " + evaluation.error().text();
  }

  void expect(const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
      EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in: " << text;
  }

  /// Address of a parameter of the only launch of a set.
  static std::uint64_t parameter(const std::vector<device::BoundStep>& steps, std::size_t offset) {
    std::uint64_t address = 0;
    std::memcpy(&address, &std::get<device::BoundLaunch>(steps[0]).parameters[offset], 8);
    return address;
  }
  static constexpr std::size_t kX = 0, kY = 16, kScratch = 24;

  void poke(std::uint64_t address) {
    const float value = 12345;
    KP_CHECK(device_->buffers().write(address, std::as_bytes(std::span(&value, 1))), "mapped");
  }
};

TEST_F(ContestTest, TheBaselineBesideItselfHasARatioOfOne) {
  const auto evaluation = evaluate(kScale);
  ASSERT_TRUE(evaluation) << evaluation.error().text();
  const Measured* measured = evaluation->measured();
  ASSERT_NE(measured, nullptr) << summary(*evaluation);
  EXPECT_EQ(measured->grade, Grade::kMeasured);
  ASSERT_TRUE(measured->speedup);
  EXPECT_NEAR(measured->speedup->value, 1, 0.005);
  EXPECT_LE(measured->speedup->low, measured->speedup->value);
  EXPECT_GE(measured->speedup->high, measured->speedup->value);
  EXPECT_GE(measured->speedup->pairs, 3);
  ASSERT_TRUE(measured->workloads.at(0).low);
  EXPECT_EQ(evaluation->sandbox, "minimal");
  for (const char* phase : {"build", "load", "verify", "contest", "profile"})
    EXPECT_EQ(evaluation->phases.count(phase), 1u) << phase;
}

TEST_F(ContestTest, AFasterCandidateHasAnIntervalAroundItsRatio) {
  bend_.candidate_factor = 0.5;
  const auto evaluation = evaluate(kScale, Depth::kFinal);
  ASSERT_TRUE(evaluation) << evaluation.error().text();
  const Measured* measured = evaluation->measured();
  ASSERT_NE(measured, nullptr) << summary(*evaluation);
  EXPECT_NEAR(measured->speedup->value, 2, 0.02);
  EXPECT_GE(measured->speedup->pairs, 30);
  EXPECT_LT(measured->speedup->high - measured->speedup->low, 0.04);
  EXPECT_GE(bench_->loads, 5) << "a process for the contest and three for first launches";
}

TEST_F(ContestTest, OutputsOfEveryTimedRunAreVerified) {
  int runs = 0;
  bend_.before_set = [&runs](std::vector<device::BoundStep> steps) {
    if (++runs == 4) steps.clear();  // the work of one run is left out
    return steps;
  };
  expect(verdict(), {"wrong answer", "y[", "never written", "unwritten"});
}

TEST_F(ContestTest, PartOfTheWorkIsNotEnough) {
  int runs = 0;
  bend_.before_set = [&runs](std::vector<device::BoundStep> steps) {
    if (++runs > 2) std::get<device::BoundLaunch>(steps[0]).shape.grid[0] -= 1;
    return steps;
  };
  expect(verdict(), {"wrong answer", "y[", "unwritten"});
}

TEST_F(ContestTest, AnAnswerThatIsRememberedIsWrongForNewInputs) {
  std::vector<std::byte> answer(4'000 * 4);
  bool known = false;
  bend_.after_set = [&](const std::vector<device::BoundStep>& steps) {
    const std::uint64_t y = parameter(steps, kY);
    KP_CHECK(known ? device_->buffers().write(y, answer) : device_->buffers().read(y, answer),
             "mapped");
    known = true;
  };
  expect(verdict(), {"wrong answer", "y[", "in a timed run"});
}

TEST_F(ContestTest, InputsAndWhatLiesAroundTheArraysStayAsTheyAre) {
  bend_.after_set = [this](const auto& steps) { poke(parameter(steps, kX) + 4 * 500); };
  expect(verdict(), {"rejected: input-written", "`x`", "timed run"});
  bend_.after_set = [this](const auto& steps) { poke(parameter(steps, kY) + 4 * 4'000); };
  expect(verdict(), {"rejected: canary", "`y`"});
  bend_.after_set = [this](const auto& steps) { poke(parameter(steps, kScratch) - 4); };
  expect(verdict(), {"rejected: canary", "`scratch`"});
  bend_.after_set = [this](const auto& steps) { poke(parameter(steps, kScratch) + 4); };
  expect(verdict(), {"measured"});
}

TEST_F(ContestTest, OutputsThatChangeLaterAreRejected) {
  std::uint64_t y = 0;
  bend_.after_set = [&y](const auto& steps) { y = parameter(steps, kY); };
  // After fingerprints (0), recall (1), and the two fills and answers of the first set.
  bend_.on_trusted_run = [&](int run) {
    if (run == 7 && y != 0) poke(y);
  };
  expect(verdict(), {"rejected: late-write"});
}

TEST_F(ContestTest, EventsThatContradictTheJudgesClockAreRejected) {
  bend_.wall_factor = 0.5;
  expect(verdict(), {"rejected: clock"});
}

TEST_F(ContestTest, LessTimeThanTheBytesNeedIsRejected) {
  bend_.candidate_factor = 1e-4;
  expect(verdict(), {"rejected: byte-floor"});
}

TEST_F(ContestTest, SamplesAtALowOrChangingClockAreRepeated) {
  bend_.clock = [](int contender, int lap) {
    return lap == 0 ? 1.0e9 : contender == 1 && lap == 2 ? 1.7e9 : 1.98e9;
  };
  const auto evaluation = evaluate(kScale);
  if (evaluation) {
    ASSERT_NE(evaluation->measured(), nullptr) << summary(*evaluation);
  } else {
    EXPECT_EQ(evaluation.error().code, ErrorCode::kBusy);
  }
}

TEST_F(ContestTest, AThrottledGpuIsNoVerdictOnTheCandidate) {
  bend_.reasons = 0x8;
  const auto evaluation = evaluate(kScale);
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().code, ErrorCode::kBusy);
  EXPECT_NE(evaluation.error().text().find("samples are void"), std::string::npos);
}

/// What a series comes to when its last contender does not answer.
std::pair<device::Mishap, int> hang(const device::SeriesRequest& request) {
  return {TimedOut{"time", request.deadline_seconds, "s", "no answer"},
          request.laps.back().contender};
}

TEST_F(ContestTest, AHangCostsSecondsOnceItIsKnownWhatTheBaselineTakes) {
  std::vector<double> deadlines;
  bool again = false;
  bend_.series = [&](const device::SeriesRequest& request) -> std::pair<device::Mishap, int> {
    deadlines.push_back(request.deadline_seconds);
    const bool baseline_alone = request.laps.size() == 1 && request.laps[0].contender == 1;
    EXPECT_EQ(baseline_alone, deadlines.size() == 1 && !again);
    return baseline_alone ? std::pair<device::Mishap, int>{{}, -1} : hang(request);
  };
  auto harness = open();
  ASSERT_TRUE(harness) << harness.error().text();
  const auto candidate = task::make_candidate(harness->task(), kScale, "candidate.cu");
  ASSERT_TRUE(candidate);
  const auto first = harness->evaluate(*candidate, Depth::kQuick);
  ASSERT_TRUE(first) << first.error().text();
  ASSERT_EQ(deadlines.size(), 2u);
  EXPECT_EQ(deadlines[0], 60);
  EXPECT_GE(deadlines[1], 2);
  EXPECT_LT(deadlines[1], 2.1);
  again = true;  // the baseline's time is kept
  deadlines.clear();
  ASSERT_TRUE(harness->evaluate(*candidate, Depth::kQuick));
  ASSERT_EQ(deadlines.size(), 1u);
  EXPECT_LT(deadlines[0], 2.1);
}

TEST_F(ContestTest, ABaselineThatFailsOnlyBesideTheCandidateIsTheCandidatesFault) {
  bend_.series = [](const device::SeriesRequest& request) -> std::pair<device::Mishap, int> {
    return request.laps.size() == 1 ? std::pair<device::Mishap, int>{{}, -1} : hang(request);
  };
  expect(verdict(), {"rejected: harms-baseline", "and not alone", "timed out"});
}

TEST_F(ContestTest, ABaselineThatFailsAloneIsAnErrorWithItsName) {
  bend_.series = hang;
  const auto evaluation = evaluate(kScale);
  ASSERT_FALSE(evaluation);
  expect(evaluation.error().text(), {"the baseline fails beside the candidate", "timed out"});
}

TEST_F(ContestTest, ATaskWithAReferenceInDoubleUsesItAndChecksIt) {
  for (const std::string name : {"softmax", "matmul_f32"}) {
    auto task = task::read_task(Path(KP_SOURCE_DIR) / "tasks" / name);
    ASSERT_TRUE(task) << task.error().text();
    ASSERT_FALSE(task->oracle.device_source.empty()) << name;
    auto opinion = open_opinion(*task, *bench_, *builder_);
    ASSERT_TRUE(opinion) << opinion.error().text();
    auto reference = open_host_reference(*task, builder_->toolchain(), cache());
    ASSERT_TRUE(reference) << reference.error().text();
    const auto confirmed = confirm(**opinion, *task, **reference);
    EXPECT_TRUE(confirmed) << confirmed.error().text();
  }
}

}  // namespace
}  // namespace kp::harness
