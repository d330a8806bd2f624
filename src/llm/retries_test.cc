// SPDX-License-Identifier: Apache-2.0
#include "llm/retries.h"

#include <gtest/gtest.h>

#include "llm/fake_clock.h"

namespace kp::llm {
namespace {

using namespace std::chrono_literals;

Trouble busy(std::optional<std::chrono::milliseconds> wait = std::nullopt) {
  Trouble trouble = passing(ErrorCode::kUnavailable, "the server is busy").value();
  trouble.wait = wait;
  return trouble;
}

TEST(Retries, WaitsGrowToABoundAndTheAttemptsEnd) {
  const RetryPolicy policy{.attempts = 9, .first = 100ms, .longest = 1s};
  std::vector<std::chrono::milliseconds> longest(8, 0ms);
  for (int run = 0; run < 200; ++run) {
    FakeClock clock;
    clock.sleep(std::chrono::milliseconds(run), {});  // another moment, other waits
    clock.sleeps.clear();
    Retries retries(policy, clock);
    for (int i = 0; i < 8; ++i) ASSERT_TRUE(retries.after(busy(), {}));
    const auto end = retries.after(busy(), {});
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().message, "the server is busy (tried 9 times)");
    for (std::size_t i = 0; i < 8; ++i) longest[i] = std::max(longest[i], clock.sleeps[i]);
  }
  // Full jitter: anything from nothing to the bound, so that 200 runs come close to it.
  const std::vector bounds{100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms, 1000ms, 1000ms};
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_LE(longest[i], bounds[i]);
    EXPECT_GT(longest[i], bounds[i] * 9 / 10);
  }
}

TEST(Retries, TheServersOwnWaitIsKept) {
  FakeClock clock;
  Retries retries({.first = 1ms}, clock);
  ASSERT_TRUE(retries.after(busy(7s), {}));
  EXPECT_EQ(clock.sleeps.back(), 7s);
}

TEST(Retries, AServerThatAsksForTooMuchIsNotWaitedFor) {
  FakeClock clock;
  Retries retries({.patience = 60s}, clock);
  const auto end = retries.after(busy(61s), {});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "the server is busy; it asks to wait 61 s");
  EXPECT_TRUE(clock.sleeps.empty());
}

TEST(Retries, TheWholeTimeIsBounded) {
  FakeClock clock;
  Retries retries({.attempts = 100, .first = 1ms, .total = 100s}, clock);
  int waits = 0;
  while (retries.after(busy(30s), {})) ++waits;
  EXPECT_EQ(waits, 3);
}

TEST(Retries, WhatWillNotPassIsNotTriedAgain) {
  FakeClock clock;
  Retries retries({}, clock);
  const auto end = retries.after(lasting(ErrorCode::kInvalidInput, "no").value(), {});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "no");
  EXPECT_EQ(end.error().code, ErrorCode::kInvalidInput);
  EXPECT_TRUE(clock.sleeps.empty());
}

TEST(Retries, ARequestToStopEndsThem) {
  FakeClock clock;
  StopFlag stop;
  stop.request();
  Retries retries({}, clock);
  const auto end = retries.after(busy(), stop);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, stopped().error.message);
}

TEST(Retries, RetryAfterIsSecondsOrADate) {
  const std::string now = "Fri, 31 Dec 1999 23:59:50 GMT";
  EXPECT_EQ(wait_asked("3", now), 3s);
  EXPECT_EQ(wait_asked("0.25", ""), 250ms);
  EXPECT_EQ(wait_asked("Sat, 01 Jan 2000 00:00:00 GMT", now), 10s);
  EXPECT_EQ(wait_asked("Fri, 31 Dec 1999 23:59:00 GMT", now), 0ms);
  EXPECT_EQ(wait_asked("-5", now), 0ms);
  for (const char* text : {"", "soon", "nan", "1e999", "Sat, 01 Jan"}) {
    EXPECT_EQ(wait_asked(text, now), std::nullopt) << text;
  }
  EXPECT_EQ(wait_asked("Sat, 01 Jan 2000 00:00:00 GMT", ""), std::nullopt);
  EXPECT_TRUE(wait_asked("1e300", now));
}

TEST(Retries, TheHostsClockWakesUpWhenAskedToStop) {
  const auto clock = host_clock();
  StopFlag stop;
  stop.request();
  const auto begin = clock->now();
  clock->sleep(1h, stop);
  EXPECT_LT(clock->now() - begin, 1min);
}

}  // namespace
}  // namespace kp::llm
