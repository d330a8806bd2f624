// SPDX-License-Identifier: Apache-2.0
// The sign test of paired samples.
#pragma once
#include <span>

namespace kp::stats {

/// Two-sided and exact: under the null hypothesis either side of a pair is as likely the larger.
/// Pairs without a difference are dropped.
struct SignTest {
  int above = 0, below = 0;  // pairs in which x is larger, smaller
  int ties = 0;
  double p_value = 1;
};
SignTest sign_test(std::span<const double> x, std::span<const double> y);

}  // namespace kp::stats
