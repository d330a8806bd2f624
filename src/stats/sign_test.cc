// SPDX-License-Identifier: Apache-2.0
#include "stats/sign_test.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>

namespace kp::stats {

SignTest sign_test(std::span<const double> x, std::span<const double> y) {
  SignTest test;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    test.above += x[i] > y[i];
    test.below += x[i] < y[i];
    test.ties += x[i] == y[i];
  }
  const int pairs = test.above + test.below;
  if (pairs == 0) return test;
  const boost::math::binomial fair(pairs, 0.5);
  test.p_value = std::min(1.0, 2 * boost::math::cdf(fair, std::min(test.above, test.below)));
  return test;
}

}  // namespace kp::stats
