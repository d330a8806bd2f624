// SPDX-License-Identifier: Apache-2.0
#include "llm/secret.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>

namespace kp::llm {
namespace {

template <class T>
concept Printable = requires(std::ostream& out, const T& value) {
  out << value;
};
template <class T>
concept Comparable = requires(const T& a, const T& b) {
  a == b;
};

TEST(Secret, CannotBePrintedFormattedOrCompared) {
  static_assert(!Printable<Secret>);
  static_assert(!fmt::is_formattable<Secret>::value);
  static_assert(!std::is_convertible_v<Secret, std::string>);
  static_assert(!std::is_convertible_v<Secret, std::string_view>);
  static_assert(!Comparable<Secret>);
}

TEST(Secret, IsTakenOutOfTextsAndErrors) {
  const Secret key = *Secret::make("sk-0123", "a test");
  EXPECT_EQ(key.redact("sk-0123: wrong key sk-0123sk-0123"), "[key]: wrong key [key][key]");
  EXPECT_EQ(key.redact("sk-012"), "sk-012");
  const Error error =
      key.redact(Error{ErrorCode::kIo, "m sk-0123", "h sk-0123", {"f sk-0123", 1, 1}, "c sk-0123"});
  EXPECT_EQ(error.text().find("sk-0123"), std::string::npos);
  EXPECT_EQ(error.message, "m [key]");
}

TEST(Secret, WithoutAKeyNothingIsTakenOut) { EXPECT_EQ(Secret().redact("text"), "text"); }

TEST(Secret, WhatCannotStandInAHeaderIsNoKeyAndIsNotQuoted) {
  for (const char* text :
       {"", "two words", "line\r\nx-evil: 1", "quo\"te", "back\\slash", "\x01"}) {
    const auto key = Secret::make(text, "KEY");
    ASSERT_FALSE(key) << text;
    EXPECT_EQ(key.error().message, "what KEY holds is no key");
  }
}

}  // namespace
}  // namespace kp::llm
