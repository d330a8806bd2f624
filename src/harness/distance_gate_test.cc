// SPDX-License-Identifier: Apache-2.0
#include "harness/distance_gate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kp::harness {
namespace {

/// A million elements of deviation 1, off by `error` of it.
torch::OutputDistance off_by(double error) {
  const double elements = 1e6;
  return {.name = "out",
          .elements = elements,
          .error_l2 = error * std::sqrt(elements),
          .norm_l2 = std::sqrt(elements),
          .worst_index = 17,
          .got = 0,
          .expected = 1.25};
}

std::optional<Precision> tightest(const torch::OutputDistance& distance) {
  return tightest_class({&distance, 1});
}

TEST(DistanceGate, names_the_tightest_class_that_an_error_is_within) {
  EXPECT_EQ(tightest(off_by(1e-7)), Precision::kF32);
  EXPECT_EQ(tightest(off_by(0.9 * class_gate(Precision::kTf32, false))), Precision::kTf32);
  EXPECT_EQ(tightest(off_by(0.9 * class_gate(Precision::kBf16, false))), Precision::kBf16);
  EXPECT_EQ(tightest(off_by(1.1 * class_gate(Precision::kBf16, false))), std::nullopt);
}

TEST(DistanceGate, lets_an_ill_conditioned_output_move_as_its_inputs_make_it) {
  torch::OutputDistance distance = off_by(1e-3);
  EXPECT_NE(tightest(distance), Precision::kF32);
  distance.response_l2 = distance.error_l2;
  EXPECT_EQ(tightest(distance), Precision::kF32);
}

TEST(DistanceGate, passes_nothing_that_differs_in_shape_or_in_where_it_is_finite) {
  torch::OutputDistance shape = off_by(0), special = off_by(0);
  shape.shape_differs = true;
  special.special = 1;
  EXPECT_EQ(tightest(shape), std::nullopt);
  EXPECT_EQ(tightest(special), std::nullopt);
  EXPECT_EQ(tightest_class({}), std::nullopt) << "a candidate without outputs";
}

TEST(DistanceGate, passes_no_output_whose_error_is_unknown) {
  EXPECT_EQ(tightest(off_by(NAN)), std::nullopt);
}

TEST(DistanceGate, is_decided_by_the_worst_of_several_outputs) {
  const torch::OutputDistance both[] = {off_by(1e-7),
                                        off_by(0.9 * class_gate(Precision::kBf16, false))};
  EXPECT_EQ(tightest_class(both), Precision::kBf16);
}

TEST(DistanceGate, says_which_output_is_wrong_and_where) {
  const torch::OutputDistance one = off_by(0.5);
  const std::string why = why_not({&one, 1}, Precision::kF32);
  EXPECT_NE(why.find("out is off by 0.5 of its deviation"), std::string::npos) << why;
  EXPECT_NE(why.find("element 17 is 0, expected 1.25"), std::string::npos) << why;
}

}  // namespace
}  // namespace kp::harness
