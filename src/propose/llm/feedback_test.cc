// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/feedback.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/json.h"
#include "propose/llm/tokens.h"

namespace kp::propose {
namespace {

/// A profile that a tool's golden case holds.
Profile recorded_profile() {
  const Path path = Path(KP_SOURCE_DIR) / "tests/golden/diagnose/bank_conflict";
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("fires") || !name.ends_with(".profile.json")) continue;
    return *profile_from_json(parse_json(*read_text(entry.path()))->at("profile"));
  }
  return {};
}

class Arms : public testing::Test {
 protected:
  void SetUp() override {
    task_.name = "mine";
    parent_.source = "__global__ void k() {}\n";
    for (int i = 0; i < 4; ++i) {
      Finding finding;
      finding.tool = "bank_conflict";
      finding.kernel = "k";
      finding.saw = "a warp's 32 words lie in 4 banks at baseline.cu:1, over and over again";
      finding.costs = "each access takes 8 turns instead of one";
      finding.prescriptions = {{"pad-shared", "Pad each row by one word.", "float tile[32][33];"}};
      finding.gain = {1.2, 1.9};
      diagnosis_.findings.push_back(finding);
    }
    Measured measured;
    measured.profile = recorded_profile();
    evaluation_.outcome = measured;
  }
  Request request() const {
    Request request{task_};
    request.parent = &parent_;
    request.diagnosis = &diagnosis_;
    request.evaluation = &evaluation_;
    return request;
  }
  static void expect_near(const std::string& text, const std::string& tools) {
    const auto got = static_cast<double>(estimate_tokens(text));
    const auto wanted = static_cast<double>(estimate_tokens(tools));
    EXPECT_LE(got, 1.1 * wanted) << text;
    EXPECT_GE(got, 0.9 * wanted) << text;
  }

  Task task_;
  Candidate parent_;
  Diagnosis diagnosis_;
  Evaluation evaluation_;
};

TEST_F(Arms, that_carry_text_are_as_long_as_tools) {
  const std::string tools = *matched_feedback(Arm::kTools, request());
  std::get<Measured>(evaluation_.outcome).profile.rules = {{"k", "CPIStall", "warps wait"}};
  for (const Arm arm : {Arm::kRaw, Arm::kNcu, Arm::kPlacebo}) {
    const auto text = matched_feedback(arm, request());
    ASSERT_TRUE(text) << text.error().text();
    expect_near(*text, tools);
  }
  EXPECT_EQ(*matched_feedback(Arm::kNone, request()), "");
}

TEST_F(Arms, raw_are_counters_with_units) {
  const std::string text = *feedback_of(Arm::kRaw).text(request());
  EXPECT_NE(text.find("__"), std::string::npos);
  EXPECT_NE(text.find(" inst\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("kp__"), std::string::npos) << "our own metrics are no counters";
  EXPECT_LE(std::count(text.begin(), text.end(), '='), 50);
  std::get<Measured>(evaluation_.outcome).profile.kernels.clear();
  const auto none = feedback_of(Arm::kRaw).text(request());
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().hint.find("doctor"), std::string::npos);
}

TEST_F(Arms, ncu_quotes_the_rules_or_says_how_to_get_them) {
  const auto none = feedback_of(Arm::kNcu).text(request());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(none.error().hint.find("--arm tools"), std::string::npos);
  std::get<Measured>(evaluation_.outcome).profile.rules = {{"k", "CPIStall", "warps wait\nmuch"}};
  EXPECT_NE(feedback_of(Arm::kNcu).text(request())->find("k, CPIStall:\n| warps wait\n| much"),
            std::string::npos);
}

TEST_F(Arms, placebo_are_findings_of_another_kernel_chosen_by_the_seed) {
  Request first = request();
  const std::string text = *feedback_of(Arm::kPlacebo).text(first);
  EXPECT_EQ(text, *feedback_of(Arm::kPlacebo).text(first));
  EXPECT_EQ(text.find("32 words lie in 4 banks"), std::string::npos);
  EXPECT_NE(text.find("# Diagnosis"), std::string::npos);
  std::set<std::string> others;
  for (first.seed = 1; first.seed < 30; ++first.seed) {
    others.insert(*feedback_of(Arm::kPlacebo).text(first));
  }
  EXPECT_GT(others.size(), 3u);
  diagnosis_.findings.clear();
  EXPECT_EQ(*feedback_of(Arm::kPlacebo).text(first), "");
}

TEST_F(Arms, tools_quote_the_lines_of_a_finding) {
  diagnosis_.findings[0].spots = {{"candidate-1.cu", 1, 0}};
  EXPECT_NE(feedback_of(Arm::kTools).text(request())->find("line 1: `__global__ void k() {}`"),
            std::string::npos);
}

TEST_F(Arms, have_nothing_to_say_of_what_did_not_run) {
  evaluation_.outcome = BuildFailed{};
  Request broken = request();
  broken.diagnosis = nullptr;
  for (const Arm arm : kArms) EXPECT_EQ(*matched_feedback(arm, broken), "") << name_of(arm);
}

TEST(WithLength, meets_any_length) {
  for (const std::size_t tokens : {20u, 100u, 1000u}) {
    for (const std::string& text : {std::string("short\n"), std::string(20'000, 'x') + "\n"}) {
      const auto got = static_cast<double>(estimate_tokens(with_length(text, tokens)));
      EXPECT_NEAR(got, static_cast<double>(tokens), 0.1 * static_cast<double>(tokens) + 1);
    }
  }
}

}  // namespace
}  // namespace kp::propose
