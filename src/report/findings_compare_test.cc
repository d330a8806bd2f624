// SPDX-License-Identifier: Apache-2.0
#include "report/findings_compare.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kp::report {
namespace {

using Json = nlohmann::json;

Json kernel(const std::string& name, const Json& share, const std::vector<std::string>& tools) {
  Json findings = Json::array();
  for (const std::string& tool : tools) findings.push_back({{"tool", tool}});
  return {{"name", name}, {"time_share", share}, {"findings", findings}};
}

Json program(const std::vector<Json>& kernels) { return {{"kernels", kernels}}; }

Comparison compared(const Json& before, const Json& now) {
  const auto comparison = compare_findings(before, now);
  EXPECT_TRUE(comparison) << comparison.error().text();
  return comparison ? *comparison : Comparison{};
}

using Tools = std::vector<std::string>;

TEST(Comparison, findings_go_away_appear_and_stay) {
  const auto [kernels] = compared(program({kernel("k(int)", 0.6, {"a", "b", "b"})}),
                                  program({kernel("k(int)", 0.3, {"b", "c"})}));
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].gone, Tools{"a"});
  EXPECT_EQ(kernels[0].appeared, Tools{"c"});
  EXPECT_EQ(kernels[0].stayed, Tools{"b"});
  EXPECT_EQ(kernels[0].share_before, 0.6);
  EXPECT_EQ(kernels[0].share_now, 0.3);
}

TEST(Comparison, what_lacks_counters_now_did_not_go_away) {
  Json now = program({kernel("k", 0.5, {})});
  now["notes"] = {"a note", "unknown: x, a need dram__bytes_read.sum (2 of 3 kernels)"};
  const auto [kernels] = compared(program({kernel("k", 0.5, {"a", "b"})}), now);
  EXPECT_EQ(kernels[0].gone, Tools{"b"});
  EXPECT_EQ(kernels[0].unseen, Tools{"a"});
}

TEST(Comparison, kernels_come_and_go) {
  const Comparison comparison =
      compared(program({kernel("old()", 1.0, {"a"})}), program({kernel("new()", nullptr, {"b"})}));
  EXPECT_EQ(comparison_text(comparison),
            "- `new()`: new, an unknown share of the GPU time\n"
            "  - appeared: b\n"
            "- `old()`: no longer there, had 100.0 % of the GPU time\n"
            "  - went away: a\n");
}

TEST(Comparison, a_kernel_whose_parameters_changed_is_still_the_same) {
  const auto [kernels] = compared(program({kernel("void k<4>(float *)", 0.5, {"a"})}),
                                  program({kernel("void k<4>(float *, int)", 0.4, {})}));
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].fate, KernelChange::Fate::kStayed);
  EXPECT_EQ(kernels[0].gone, Tools{"a"});
}

TEST(Comparison, names_that_several_kernels_share_are_not_guessed_at) {
  const auto [kernels] =
      compared(program({kernel("k(int)", 0.5, {"a"}), kernel("k(float)", 0.1, {})}),
               program({kernel("k(double)", 0.4, {})}));
  EXPECT_EQ(kernels.size(), 3u);
}

TEST(Comparison, the_json_form_names_all_three_kinds) {
  const Json text = comparison_json(
      compared(program({kernel("k", 0.5, {"a"})}), program({kernel("k", 0.25, {"b"})})));
  EXPECT_EQ(text, Json::parse(R"({"kernels": [{"name": "k", "kernel": "stayed",
    "time_share_before": 0.5, "time_share": 0.25, "gone": ["a"], "appeared": ["b"],
    "stayed": [], "unseen": []}]})"));
}

TEST(Comparison, what_is_no_diagnosis_is_refused) {
  const auto comparison = compare_findings(Json{{"run", 1}}, program({}));
  ASSERT_FALSE(comparison);
  EXPECT_EQ(comparison.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(comparison.error().message.find("kernels"), std::string::npos);
}

}  // namespace
}  // namespace kp::report
