// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <gtest/gtest.h>

namespace kp {
namespace {

TEST(Check, ContinuesWhenTheConditionHolds) {
  int reached = 0;
  KP_CHECK(reached == 0, "starts at zero");
  ++reached;
  EXPECT_EQ(reached, 1);
}

TEST(CheckDeathTest, AbortsWithConditionPlaceAndText) {
  const int rows = 3;
  EXPECT_DEATH(KP_CHECK(rows == 4, "four rows"),
               "check_test.cc:[0-9]+: four rows\n.*this must hold: rows == 4");
}

}  // namespace
}  // namespace kp
