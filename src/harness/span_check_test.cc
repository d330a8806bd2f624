// SPDX-License-Identifier: Apache-2.0
#include "harness/span_check.h"

#include <gtest/gtest.h>

#include "device/idle_hardware.h"

namespace kp::harness {
namespace {

std::vector<device::BoundStep> plan() {
  device::BoundLaunch first{.kernel = "first"}, second{.kernel = "second"};
  first.shape.grid[0] = 10;
  first.shape.block[0] = second.shape.block[0] = 64;
  return {first, device::BoundZero{}, second};
}

device::TraceReport seen() {
  return {.kernels = {{"first", {10, 1, 1}, {64, 1, 1}, 0, 50'000},
                      {"second", {1, 1, 1}, {64, 1, 1}, 60'000, 100'000}},
          .event_nanoseconds = 102'000};
}

TEST(SpanCheckTest, WhatThePlanSaysIsWhatRan) { EXPECT_FALSE(contradiction(plan(), seen())); }

TEST(SpanCheckTest, EventsThatEndBeforeTheKernelsDoAreRejected) {
  auto trace = seen();
  trace.event_nanoseconds = 96'500;  // three percent, and a step of the timer
  EXPECT_FALSE(contradiction(plan(), trace));
  trace.event_nanoseconds = 95'000;
  const auto rejected = contradiction(plan(), trace);
  ASSERT_TRUE(rejected);
  EXPECT_EQ(rejected->rule, "span");
  EXPECT_NE(rejected->reason.find("95"), std::string::npos) << rejected->reason;
}

TEST(SpanCheckTest, AKernelThatRunsBesideTheOthersCountsToItsEnd) {
  auto trace = seen();
  trace.kernels[0].end = 150'000;
  EXPECT_EQ(contradiction(plan(), trace).value().rule, "span");
}

TEST(SpanCheckTest, OtherKernelsGridsAndCountsAreRejected) {
  auto renamed = seen(), smaller = seen(), more = seen();
  renamed.kernels[1].name = "third";
  smaller.kernels[0].grid[0] = 9;
  more.kernels.push_back(more.kernels.back());
  for (const auto& trace : {renamed, smaller, more}) {
    const auto rejected = contradiction(plan(), trace);
    ASSERT_TRUE(rejected);
    EXPECT_EQ(rejected->rule, "launches");
  }
  EXPECT_NE(contradiction(plan(), more)->reason.find("2 kernels, CUPTI saw 3"), std::string::npos);
}

/// Answers with what it is given, turn after turn.
class Traced : public device::IdleHardware {
 public:
  explicit Traced(std::vector<device::TraceReport> reports) : reports_(std::move(reports)) {}
  Result<device::TraceReport> trace(device::Loaded& loaded,
                                    const device::TraceRequest& request) override {
    if (reports_.empty()) return IdleHardware::trace(loaded, request);
    return reports_[turn_++ % reports_.size()];
  }

 private:
  std::vector<device::TraceReport> reports_;
  std::size_t turn_ = 0;
};

std::variant<std::string, Outcome> checked(std::vector<device::TraceReport> reports) {
  Traced hardware(std::move(reports));
  device::Loaded loaded;
  const auto steps = plan();
  const auto result = check_span({hardware, loaded, steps, "large"});
  EXPECT_TRUE(result);
  return *result;
}

TEST(SpanCheckTest, WhatWasComparedIsNoted) {
  const auto note = std::get<std::string>(checked({seen()}));
  EXPECT_NE(note.find("large: CUPTI saw 100 us over 2 kernels, events 102 us"), std::string::npos)
      << note;
}

TEST(SpanCheckTest, WithoutCuptiItIsNotedAsNotDone) {
  EXPECT_NE(std::get<std::string>(checked({})).find("not compared"), std::string::npos);
  auto lost = seen();
  lost.kernels.pop_back();
  EXPECT_NE(std::get<std::string>(checked({lost})).find("recorded 1 of 2"), std::string::npos);
}

TEST(SpanCheckTest, OneRunThatDisagreesIsNoVerdict) {
  auto early = seen();
  early.event_nanoseconds = 50'000;
  EXPECT_TRUE(
      std::holds_alternative<std::string>(checked({early, seen(), seen(), seen(), seen()})));
  EXPECT_TRUE(std::holds_alternative<Outcome>(checked({early})));
}

TEST(SpanCheckTest, AFaultOfTheCandidateIsItsOwn) {
  auto crashed = seen();
  crashed.mishap = Crashed{.fault = FaultKind::kTrap, .message = "trap", .kernel = {}, .spot = {}};
  const auto result = checked({crashed});
  EXPECT_TRUE(std::holds_alternative<Crashed>(std::get<Outcome>(result)));
}

}  // namespace
}  // namespace kp::harness
