// SPDX-License-Identifier: Apache-2.0
// Planted faults as an H200 showed them: what the tools reached when the evidence was recorded must
// not get lost. All numbers are counted again from stored counters, so a change of a tool that
// makes it deaf or noisy fails here.
#include "replay/replay.h"

#include <gtest/gtest.h>

namespace kp::replay {
namespace {

// Of 45 pairs; 44 and 43 when the evidence was recorded. Two may be lost to a better reason.
constexpr int kNamed = 42, kSilent = 42;
constexpr double kWithin = 0.7;  // of the faults whose gain was promised

std::string told(const Judged& one) {
  std::string text = one.name + "/" + one.version + ":";
  for (const Finding& finding : one.diagnosis.findings) {
    text += " " + finding.tool + "(" + std::string(name_of(finding.severity)) + ")";
  }
  return text;
}

class Corpus : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto judged = judge(recorded("corpus"));
    ASSERT_TRUE(judged) << judged.error().text();
    all_ = *std::move(judged);
  }
  /// Those for which `wrong` holds, for the message of a test.
  template <class Wrong>
  static std::string list(Wrong wrong) {
    std::string text;
    for (const Judged& one : all_) {
      if (wrong(one)) text += "\n  " + told(one);
    }
    return text;
  }
  static std::vector<Judged> all_;
};
std::vector<Judged> Corpus::all_;

TEST_F(Corpus, HasEvidenceOfAllPairsAndOfKernelsAtTheirRoof) {
  const Score now = score(all_);
  EXPECT_EQ(now.named.of, 45);
  EXPECT_EQ(now.silent.of, 45);
  EXPECT_EQ(now.quiet.of, 6);
}

TEST_F(Corpus, FaultsAreNamedFirst) {
  EXPECT_GE(score(all_).named.count, kNamed)
      << list([](const Judged& one) { return one.version == "fault" && one.first() != one.tool; });
}

TEST_F(Corpus, MendedTwinsAreNotToldOfTheFaultAgain) {
  EXPECT_GE(score(all_).silent.count, kSilent)
      << list([](const Judged& one) { return one.version == "fixed" && one.warns(one.tool); });
}

TEST_F(Corpus, NothingIsDemandedOfKernelsAtTheirRoof) {
  const Share quiet = score(all_).quiet;
  EXPECT_EQ(quiet.count, quiet.of)
      << list([](const Judged& one) { return one.version == "roof" && one.warns(""); });
}

TEST_F(Corpus, PromisedRangesContainWhatTwinsGainAndAreNarrow) {
  const Score now = score(all_);
  EXPECT_GE(now.within.count, kWithin * now.within.of)
      << list([](const Judged& one) { return one.gain && one.promise() && !one.within(); });
  EXPECT_GE(now.narrow.count, now.narrow.of - 1);
}

TEST(Score, CountsAWarningOfTheTwinAndAnyAtTheRoof) {
  Judged twin{"a", "fixed", "bank_conflict", {}, {}}, roof{"b", "roof", "", {}, {}};
  Finding finding;
  finding.tool = "occupancy_limiter";
  finding.severity = Severity::kWarning;
  twin.diagnosis.findings = roof.diagnosis.findings = {finding};
  EXPECT_EQ(score({twin, roof}).silent, (Share{1, 1})) << "another tool may warn";
  EXPECT_EQ(score({twin, roof}).quiet, (Share{0, 1}));
  twin.diagnosis.findings.front().tool = "bank_conflict";
  EXPECT_EQ(score({twin}).silent, (Share{0, 1}));
}

}  // namespace
}  // namespace kp::replay
