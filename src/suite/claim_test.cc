// SPDX-License-Identifier: Apache-2.0
#include "suite/claim.h"

#include <gtest/gtest.h>

namespace kp::suite {
namespace {

TEST(Claim, survives_JSON_with_what_is_known_and_what_is_not) {
  Claim claim{.candidate = "25_Swish.py", .task = "level1/25_Swish.py", .content = "ab"};
  claim.device = "NVIDIA H200";
  claim.verdict = ClaimVerdict::kCoarser;
  claim.reason = "out is off";
  claim.claimed = 4;
  claim.precision = Precision::kTf32;
  claim.published_check = true;
  claim.nanoseconds = 1500;
  claim.baselines = {{"eager", 2000}, {"compile", 1000}};
  claim.over_eager = {1.3, 1.2, 1.4};
  claim.over_fastest = 0.66;
  claim.fastest = "compile";
  claim.own_share = 0.25;
  claim.library_kernels = {"sgemm"};
  claim.remarks = {"a remark"};
  const auto json = to_json(claim);
  EXPECT_EQ(json.at("trust"), "low");
  const auto read = claim_from(json);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(to_json(*read), json);
  const auto unknown = claim_from(to_json(Claim{}));
  ASSERT_TRUE(unknown) << unknown.error().text();
  EXPECT_FALSE(unknown->nanoseconds || unknown->over_eager || unknown->own_share ||
               unknown->published_check || unknown->precision);
}

TEST(Claim, is_refused_with_a_verdict_that_nobody_gives) {
  auto json = to_json(Claim{});
  json["verdict"] = "splendid";
  EXPECT_FALSE(claim_from(json));
}

}  // namespace
}  // namespace kp::suite
