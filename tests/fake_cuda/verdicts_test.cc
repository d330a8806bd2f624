// SPDX-License-Identifier: Apache-2.0
// Candidates that harm their process: each gets its verdict, and none changes another's.
#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "fixture.h"

namespace kp::device::cuda {
namespace {

struct Candidate {
  const char* behaviour;
  const char* verdict;
};
constexpr Candidate kCandidates[] = {
    {"copy", "right"},
    {"slow 10", "wrong"},
    {"hang", "timed out"},
    {"crash", "trap"},
    {"exit 0", "trap"},
    {"exit 3", "trap"},
    {"garbage", "trap"},
    {"huge", "trap"},
    {"fault 700", "memory"},
    {"fault 715", "illegal instruction"},
    {"fault 716", "misaligned"},
    {"fault 719", "trap"},
    {"refuse 701", "out of resources"},
};

TEST_F(FakeGpu, EveryCandidateGetsItsVerdict) {
  for (const Candidate& candidate : kCandidates)
    EXPECT_EQ(verdict(candidate.behaviour), candidate.verdict) << candidate.behaviour;
}

TEST_F(FakeGpu, VerdictsDoNotDependOnWhoCameBefore) {
  std::vector<Candidate> mixed;
  for (int i = 0; i < 3; ++i)
    mixed.insert(mixed.end(), std::begin(kCandidates), std::end(kCandidates));
  mixed.push_back(kCandidates[0]);
  ASSERT_EQ(mixed.size(), 40u);
  std::shuffle(mixed.begin(), mixed.end(), std::mt19937(7));
  for (const Candidate& candidate : mixed)
    EXPECT_EQ(verdict(candidate.behaviour), candidate.verdict) << candidate.behaviour;
}

TEST_F(FakeGpu, TellsAboutTheKernelThatHung) {
  const std::unique_ptr<Loaded> module = load("hang");
  const auto start = std::chrono::steady_clock::now();
  const Mishap mishap = run(*module, step_of(0, 0, 0), 0.25);
  const auto took = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(std::holds_alternative<TimedOut>(mishap));
  EXPECT_EQ(std::get<TimedOut>(mishap).phase, "check");
  EXPECT_EQ(std::get<TimedOut>(mishap).limit, 0.25);
  EXPECT_LT(took, std::chrono::seconds(20));
  // What is asked of the dead gets the same answer at once.
  EXPECT_TRUE(std::holds_alternative<TimedOut>(run(*module, step_of(0, 0, 0))));
}

TEST_F(FakeGpu, StoppingEndsTheWaitForAKernelThatHangs) {
  const std::unique_ptr<Loaded> module = load("hang");
  const auto start = std::chrono::steady_clock::now();
  std::jthread user([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop_.request();
  });
  const BoundStep step = step_of(0, 0, 0);
  const Result<Mishap> mishap = device_->run(*module, {.steps = {&step, 1}});
  ASSERT_FALSE(mishap) << "no verdict on the candidate";
  EXPECT_EQ(mishap.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(mishap.error().message, "stopped while the candidate ran");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_FALSE(device_->load(binary_of("copy"))) << "nothing new is begun";
}

TEST_F(FakeGpu, NamesTheContenderWhoseKernelHung) {
  const std::unique_ptr<Loaded> module = load("slow 10");
  const build::Binary other = binary_of("hang");
  const std::vector<BoundStep> steps{step_of(0, 0, 0)};
  const Contender contenders[] = {{.sets = {steps}}, {.binary = &other, .sets = {steps}}};
  const Lap laps[] = {{0, {0}}, {0, {0}}, {1, {0}}, {0, {0}}};
  const Result<SeriesReport> report = device_->hardware()->series(
      *module, {.contenders = contenders, .laps = laps, .deadline_seconds = 0.5});
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_TRUE(std::holds_alternative<TimedOut>(report->mishap));
  EXPECT_EQ(report->guilty, 1);
}

TEST_F(FakeGpu, TellsHowAProcessEnded) {
  const std::unique_ptr<Loaded> module = load("exit 3");
  const Mishap mishap = run(*module, step_of(0, 0, 0));
  ASSERT_TRUE(std::holds_alternative<Crashed>(mishap));
  EXPECT_EQ(std::get<Crashed>(mishap).message, "its process ended: with status 3");
}

TEST_F(FakeGpu, SurvivesALaunchThatTheDriverRefuses) {
  const std::unique_ptr<Loaded> module = load("refuse 701");
  for (int i = 0; i < 2; ++i) {
    const Mishap mishap = run(*module, step_of(0, 0, 0));
    ASSERT_TRUE(std::holds_alternative<Crashed>(mishap));
    EXPECT_EQ(std::get<Crashed>(mishap).fault, FaultKind::kOutOfResources);
    EXPECT_EQ(std::get<Crashed>(mishap).kernel, "k");
  }
}

}  // namespace
}  // namespace kp::device::cuda
