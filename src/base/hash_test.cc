// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <gtest/gtest.h>

namespace kp {
namespace {

TEST(Hash, OfNothingIsThePublishedConstantOfXxh3) {
  EXPECT_EQ(to_hex(hash_text("")), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(hash_text("abc"), hash_bytes(std::as_bytes(std::span("abc", 3))));
}

TEST(Hash, ContentAddressKnowsWhereAPartEnds) {
  EXPECT_EQ(content_address({"ab", "c"}), content_address({"ab", "c"}));
  EXPECT_NE(content_address({"ab", "c"}), content_address({"a", "bc"}));
  EXPECT_NE(content_address({"ab"}), content_address({"ab", ""}));
  EXPECT_EQ(content_address({"x"}).size(), 32u);
}

}  // namespace
}  // namespace kp
