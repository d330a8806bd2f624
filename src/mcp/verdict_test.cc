// SPDX-License-Identifier: Apache-2.0
#include "mcp/verdict.h"

#include <gtest/gtest.h>

#include <limits>

#include "mcp/schema.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

Evaluation of(Outcome outcome) {
  return {std::move(outcome), Depth::kQuick, "vgpu:h200", 1, {}, {}, {"a note"}};
}

Measured measured() {
  Measured measured;
  measured.nanoseconds = 1000;
  measured.grade = Grade::kMeasured;
  measured.speedup = Speedup{2, 1.9, 2.1, 30};
  measured.workloads = {{"w", 1000, 990, 1010, measured.speedup}};
  measured.labels = {{"flop-floor", "faster than its operations allow"}};
  return measured;
}

TEST(Verdict, EveryOutcomeFitsTheSchema) {
  for (const Outcome& outcome : std::initializer_list<Outcome>{
           BuildFailed{"error: x", {"a.cu", 3, 1}}, Rejected{"canary", "wrote outside"},
           Crashed{FaultKind::kRace, "reads what is written", "k", {}},
           TimedOut{"check", 60, "s", "k"},
           WrongAnswer{"no",
                       "normal",
                       "w",
                       "y",
                       "row",
                       1,
                       0.1,
                       {3},
                       std::numeric_limits<double>::quiet_NaN(),
                       2},
           measured()}) {
    const json verdict = verdict_of(of(outcome), {});
    const auto fits = check_schema(json::parse(verdict.dump()), verdict_schema());
    EXPECT_TRUE(fits) << fits.error().message << "\n" << verdict.dump(2);
    EXPECT_EQ(verdict.contains("fault"), verdict["outcome"] != "measured");
  }
}

TEST(Verdict, AMeasuredRatioKeepsItsInterval) {
  store::NodeRecord node;
  node.id = 4;
  node.parent = 2;
  node.evaluation = of(measured());
  node.speedup = 2;
  const json verdict = verdict_of(node);
  EXPECT_EQ(verdict["speedup"]["low"], 1.9);
  EXPECT_EQ(verdict["speedup"]["pairs"], 30);
  EXPECT_EQ(verdict["evidence"], "measured");
  EXPECT_EQ(verdict["parent"], 2);
  EXPECT_EQ(verdict["labels"][0]["name"], "flop-floor");
}

TEST(Verdict, AModelledOneHasNone) {
  store::NodeRecord node;
  Measured modelled = measured();
  modelled.grade = Grade::kModelled;
  modelled.speedup.reset();
  node.evaluation = of(modelled);
  node.speedup = 3;
  EXPECT_EQ(verdict_of(node)["speedup"], json({{"value", 3.0}}));
}

TEST(Verdict, FindingsSayWhereButHoldNoCounters) {
  Finding finding;
  finding.tool = "occupancy_limiter";
  finding.kernel = "k";
  finding.gain = {1.1, std::numeric_limits<double>::infinity()};
  finding.prescriptions = {{"block-size", "Use smaller blocks.", ""}};
  Diagnosis diagnosis;
  diagnosis.why = "latency";
  diagnosis.findings = {finding};
  const json verdict = verdict_of(of(measured()), diagnosis);
  EXPECT_TRUE(check_schema(verdict, verdict_schema()));
  EXPECT_EQ(verdict["findings"][0]["kernel"], "k");
  EXPECT_TRUE(verdict["findings"][0]["gain"][1].is_null());
  EXPECT_EQ(verdict.dump().find("profile"), std::string::npos);
}

TEST(Verdict, TheTextOfACompilerIsShortAndPlain) {
  const json verdict =
      verdict_of(of(BuildFailed{"\x1b[31merror\x1b[0m\n" + std::string(1 << 20, 'x'), {}}), {});
  const std::string log = verdict["fault"]["log"];
  EXPECT_LT(log.size(), 16000u);
  EXPECT_EQ(log.find('\x1b'), std::string::npos);
  EXPECT_NE(log.find("error"), std::string::npos);
}

}  // namespace
}  // namespace kp::mcp
