// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu_value.h"

#include <gtest/gtest.h>

namespace kp::profile::ncu {
namespace {

TEST(Value, separators_of_thousands_are_no_part_of_the_number) {
  EXPECT_EQ(value_of("58,848"), 58848);
  EXPECT_EQ(value_of("1,215,000,000.00"), 1215000000);
  EXPECT_EQ(value_of("3995313115.40"), 3995313115.40);
  EXPECT_EQ(value_of("-1.5"), -1.5);
}

TEST(Value, other_locales_swap_comma_and_point_or_use_spaces) {
  EXPECT_EQ(value_of("1.215.000,50", Style::kDecimalComma), 1215000.5);
  EXPECT_EQ(value_of("58.848", Style::kDecimalComma), 58848);
  EXPECT_EQ(value_of("58\xE2\x80\xAF"
                     "848,5",
                     Style::kDecimalComma),
            58848.5);
  EXPECT_EQ(value_of("58 848"), 58848);
}

TEST(Value, only_numbers_that_leave_no_doubt_tell_the_locale) {
  EXPECT_EQ(style_of("66,86"), Style::kDecimalComma);
  EXPECT_EQ(style_of("1.215,00"), Style::kDecimalComma);
  EXPECT_EQ(style_of("1.215.000"), Style::kDecimalComma);
  EXPECT_EQ(style_of("1,215.00"), Style::kDecimalPoint);
  EXPECT_EQ(style_of("1,215,000"), Style::kDecimalPoint);
  EXPECT_EQ(style_of("58,848"), std::nullopt);
  EXPECT_EQ(style_of("58.848"), std::nullopt);
  EXPECT_EQ(style_of("(64, 64, 1)"), std::nullopt);
}

TEST(Value, what_stands_for_a_missing_value_is_missing) {
  for (const char* text : {"", "n/a", "(!) n/a", "nan", "inf", "-nan", "no data", "PolicySpread"}) {
    EXPECT_EQ(value_of(text), std::nullopt) << text;
  }
}

TEST(Value, a_total_may_be_followed_by_its_instances) {
  EXPECT_EQ(value_of("12 (0x100: 5; 0x110: 7)"), 12);
}

TEST(Value, scaled_units_come_back_to_the_base_unit) {
  EXPECT_EQ(factor_to_base("us"), 1e3);
  EXPECT_EQ(factor_to_base("msecond"), 1e6);
  EXPECT_EQ(factor_to_base("s"), 1e9);
  EXPECT_EQ(factor_to_base("Kbyte"), 1e3);
  EXPECT_EQ(factor_to_base("Kbyte/block"), 1e3);
  EXPECT_EQ(factor_to_base("Tbyte/s"), 1e12);
  EXPECT_EQ(factor_to_base("Gbyte/second"), 1e9);
  EXPECT_EQ(factor_to_base("Ghz"), 1e9);
  EXPECT_DOUBLE_EQ(factor_to_base("cycle/nsecond"), 1e9);
  EXPECT_DOUBLE_EQ(factor_to_base("sector/ms"), 1e3);
  EXPECT_DOUBLE_EQ(factor_to_base("%/Kbyte"), 1e-3);
  for (const char* base :
       {"", "ns", "byte", "hz", "%", "inst/cycle", "byte/s", "register/thread"}) {
    EXPECT_EQ(factor_to_base(base), 1) << base;
  }
}

}  // namespace
}  // namespace kp::profile::ncu
