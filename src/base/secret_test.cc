// SPDX-License-Identifier: Apache-2.0
#include "base/secret.h"

#include <gtest/gtest.h>

namespace kp {
namespace {

TEST(SecretNumber, is_another_each_time) {
  const auto first = secret_number(), second = secret_number();
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
}

}  // namespace
}  // namespace kp
