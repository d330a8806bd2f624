// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/fault.h"

#include <gtest/gtest.h>

namespace kp::device::cuda {
namespace {

using Json = nlohmann::json;

std::vector<BoundStep> two_steps() { return {BoundZero{}, BoundLaunch{.kernel = "matmul"}}; }

TEST(Fault, NamesTheKernelWhoseStepFailed) {
  const Fault fault = fault_from(Json{
      {"ok", false},
      {"fault",
       {{"code", 700}, {"name", "CUDA_ERROR_ILLEGAL_ADDRESS"}, {"phase", "run"}, {"step", 1}}}});
  const Crashed crashed = crash_of(fault, two_steps());
  EXPECT_EQ(crashed.fault, FaultKind::kMemory);
  EXPECT_EQ(crashed.kernel, "matmul");
  EXPECT_EQ(crashed.message,
            "kernel matmul: access to an address outside of every array (CUDA error 700, "
            "CUDA_ERROR_ILLEGAL_ADDRESS)");
  EXPECT_TRUE(ends_process(fault));
}

TEST(Fault, NamesThePhaseWhereTheStepIsNotKnown) {
  const Crashed crashed =
      crash_of({.code = 209, .name = "CUDA_ERROR_NO_BINARY_FOR_GPU", .phase = "load"}, {});
  EXPECT_EQ(crashed.fault, FaultKind::kUnsupported);
  EXPECT_TRUE(crashed.message.starts_with("load: ")) << crashed.message;
}

TEST(Fault, AStepThatIsNotThereIsNotBelieved) {
  EXPECT_EQ(crash_of({.code = 700, .step = 2}, two_steps()).kernel, "");
  EXPECT_EQ(crash_of({.code = 700, .step = -7}, two_steps()).kernel, "");
}

TEST(Fault, WhatAProcessSaysIsPrintableAndShort) {
  const Fault fault = fault_from(
      Json{{"fault", {{"code", 1}, {"name", "a\x1b[31m\n" + std::string(100'000, 'x')}}}});
  EXPECT_TRUE(fault.name.starts_with("a?[31m?")) << fault.name.substr(0, 20);
  EXPECT_LE(fault.name.size(), 400u);
}

TEST(Fault, NonsenseIsAnUnknownErrorThatEndsTheProcess) {
  for (const Json& answer : {Json(), Json(7), Json{{"fault", "bad"}}, Json{{"ok", false}},
                             Json{{"fault", {{"code", "700"}, {"step", {}}}}}}) {
    const Fault fault = fault_from(answer);
    EXPECT_EQ(fault.code, 999) << answer.dump();
    EXPECT_TRUE(ends_process(fault));
  }
}

TEST(Fault, ALaunchThatIsRefusedEndsNothing) {
  for (const int code : {1, 2, 200, 500, 701, 720, 912}) EXPECT_FALSE(ends_process({.code = code}));
  for (const int code : {0, 214, 700, 710, 714, 715, 716, 717, 718, 719, 799, 999})
    EXPECT_TRUE(ends_process({.code = code})) << code;
}

TEST(Fault, WhereMemoryIsShortTheErrorSaysSo) {
  EXPECT_EQ(error_of({.code = kOutOfMemory, .name = "no room"}, "allocate").code,
            ErrorCode::kLimit);
  EXPECT_EQ(error_of({.code = 999, .name = "x"}, "allocate").code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace kp::device::cuda
