// SPDX-License-Identifier: Apache-2.0
#include "torch/starting.h"

#include <gtest/gtest.h>

namespace kp::torch {
namespace {

TEST(Starting, ComesToTheSameAsAWorkerThatIsWaitedFor) {
  auto starting = Starting::begin({});
  const auto worker = starting.finish();
  if (!worker && worker.error().code == ErrorCode::kUnavailable)
    GTEST_SKIP() << "skipped: no PyTorch";
  ASSERT_TRUE(worker) << worker.error().text();
  EXPECT_FALSE((*worker)->installation().torch_version.empty());
}

TEST(Starting, TellsWhatWentWrongWhenItIsWaitedFor) {
  for (const char* python : {"/no/such/python", "true"}) {
    auto starting = Starting::begin({.python = python});
    const auto worker = starting.finish();
    ASSERT_FALSE(worker) << python;
    EXPECT_EQ(worker.error().code, ErrorCode::kUnavailable) << worker.error().text();
  }
}

}  // namespace
}  // namespace kp::torch
