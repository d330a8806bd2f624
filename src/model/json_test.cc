// SPDX-License-Identifier: Apache-2.0
#include "model/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace kp {
namespace {

using Json = nlohmann::json;

Profile example_profile() {
  KernelProfile kernel;
  kernel.kernel = "transpose";
  kernel.launch = 2;
  kernel.share = 0.75;
  kernel.metrics.set(metric::kDuration, 1500, Grade::kModelled);
  kernel.metrics.set(metric::kDramRead, 4096, Grade::kMeasured);
  LineProfile line;
  line.file = "k.cu";
  line.line = 7;
  line.instructions = 10;
  line.ideal_sectors = 4;
  line.xu = 1;
  line.conversions = 3;
  line.lanes = 320;
  line.barriers = 2;
  kernel.lines = {line};
  return {"vgpu:h200", "vgpu", "large", {kernel}, {}};
}

/// Through text, as the store does it.
Evaluation round_trip(const Evaluation& evaluation) {
  const auto json = parse_json(to_json(evaluation).dump());
  EXPECT_TRUE(json);
  const auto back = evaluation_from_json(*json);
  EXPECT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), to_json(evaluation));
  return *back;
}

Evaluation with(Outcome outcome) {
  Evaluation evaluation;
  evaluation.outcome = std::move(outcome);
  evaluation.depth = Depth::kFinal;
  evaluation.device = "vgpu:h200";
  evaluation.wall_seconds = 1.25;
  evaluation.notes = {"oracle: self"};
  return evaluation;
}

TEST(ProfileJson, GivesBackWhatWentIn) {
  const Profile profile = example_profile();
  const auto back = profile_from_json(to_json(profile));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->device, profile.device);
  EXPECT_EQ(back->workload, "large");
  ASSERT_EQ(back->kernels.size(), 1u);
  EXPECT_EQ(back->kernels[0].launch, 2);
  EXPECT_EQ(back->kernels[0].share, 0.75);
  EXPECT_EQ(back->kernels[0].metrics, profile.kernels[0].metrics);
  EXPECT_EQ(back->kernels[0].lines, profile.kernels[0].lines);
}

TEST(ProfileJson, KeepsTheTimelineWhereThereIsOne) {
  Profile profile = example_profile();
  EXPECT_FALSE(profile_from_json(to_json(profile))->timeline);
  Timeline timeline;
  timeline.window_ns = 1e6;
  timeline.busy_ns = 7e5;
  timeline.launches = 12;
  timeline.median_kernel_ns = 3;
  timeline.sync_ns = 4;
  timeline.graph_launches = 5;
  timeline.pageable_copy_bytes = 6;
  profile.timeline = timeline;
  EXPECT_EQ(profile_from_json(to_json(profile))->timeline, timeline);
}

TEST(ProfileJson, KeepsNotes) {
  Profile profile = example_profile();
  EXPECT_FALSE(to_json(profile).contains("notes"));
  profile.notes = {"counters were not permitted"};
  EXPECT_EQ(profile_from_json(to_json(profile))->notes, profile.notes);
  EXPECT_FALSE(to_json(profile).contains("rules"));
  profile.rules = {{"k", "CPIStall", "stalled"}};
  EXPECT_EQ(profile_from_json(to_json(profile))->rules, profile.rules);
}

TEST(EvaluationJson, KeepsEveryKindOfOutcome) {
  const SourceSpot spot{"k.cu", 3, 4};
  EXPECT_EQ(std::get<BuildFailed>(round_trip(with(BuildFailed{"error", spot})).outcome).spot, spot);
  EXPECT_EQ(std::get<Rejected>(round_trip(with(Rejected{"canary", "b"})).outcome).rule, "canary");
  EXPECT_EQ(
      std::get<Crashed>(round_trip(with(Crashed{FaultKind::kRace, "m", "k", spot})).outcome).fault,
      FaultKind::kRace);
  EXPECT_EQ(std::get<TimedOut>(round_trip(with(TimedOut{"check", 2.5, "s", "d"})).outcome).limit,
            2.5);
  EXPECT_EQ(round_trip(with(Rejected{})).notes, (std::vector<std::string>{"oracle: self"}));
  EXPECT_EQ(round_trip(with(Rejected{})).depth, Depth::kFinal);
}

TEST(EvaluationJson, KeepsNumbersThatJsonLacks) {
  WrongAnswer wrong;
  wrong.index = {3, 4};
  wrong.error = std::numeric_limits<double>::infinity();
  wrong.expected = -std::numeric_limits<double>::infinity();
  wrong.got = std::nan("");
  const auto back = std::get<WrongAnswer>(round_trip(with(wrong)).outcome);
  EXPECT_EQ(back.index, wrong.index);
  EXPECT_EQ(back.error, wrong.error);
  EXPECT_EQ(back.expected, wrong.expected);
  EXPECT_TRUE(std::isnan(back.got));
}

TEST(EvaluationJson, KeepsSpeedupsPhasesAndTheSandboxWhereTheyAreKnown) {
  Measured measured;
  measured.grade = Grade::kMeasured;
  measured.workloads = {{"a", 1e6, 9e5, 1.1e6, Speedup{2, 1.9, 2.1, 30}}, {"b", 2e6, {}, {}, {}}};
  measured.speedup = Speedup{3, 2.5, 3.5, 60};
  Evaluation evaluation = with(measured);
  EXPECT_FALSE(to_json(with(Rejected{})).contains("sandbox"));
  evaluation.sandbox = "full";
  evaluation.phases = {{"build", 0.5}, {"contest", 0.25}};
  const Evaluation back = round_trip(evaluation);
  EXPECT_EQ(back.sandbox, "full");
  EXPECT_EQ(back.phases, evaluation.phases);
  ASSERT_TRUE(back.measured()->speedup && back.measured()->workloads[0].speedup);
  EXPECT_EQ(back.measured()->workloads[0].speedup->low, 1.9);
  EXPECT_FALSE(back.measured()->workloads[1].speedup);
  EXPECT_EQ(back.measured()->speedup->pairs, 60);
  EXPECT_EQ(back.measured()->speedup->high, 3.5);
}

TEST(EvaluationJson, KeepsWhatAPublishedToleranceSays) {
  Evaluation evaluation = with(Rejected{"canary", "no"});
  EXPECT_TRUE(round_trip(evaluation).published.empty());
  evaluation.published.push_back(
      {"SOL-ExecBench", "w", false, 0.5, 1e30, 0.875, 0.99, true, false});
  const Evaluation back = round_trip(evaluation);
  ASSERT_EQ(back.published.size(), 1u);
  const PublishedVerdict& verdict = back.published[0];
  EXPECT_EQ(verdict.rule, "SOL-ExecBench");
  EXPECT_EQ(verdict.workload, "w");
  EXPECT_FALSE(verdict.passed);
  EXPECT_EQ(verdict.max_absolute_error, 0.5);
  EXPECT_EQ(verdict.max_relative_error, 1e30);
  EXPECT_EQ(verdict.matched, 0.875);
  EXPECT_EQ(verdict.required, 0.99);
  EXPECT_TRUE(verdict.has_nan);
  EXPECT_FALSE(verdict.has_infinity);
}

TEST(EvaluationJson, KeepsLabelsWhereThereAreSome) {
  Measured measured;
  EXPECT_FALSE(to_json(with(measured))["details"].contains("labels"));
  measured.labels = {{"flop-floor", "too fast"}, {"stateful", "first launches are slower"}};
  const Evaluation back = round_trip(with(measured));
  ASSERT_EQ(back.measured()->labels.size(), 2u);
  EXPECT_EQ(back.measured()->labels[0].name, "flop-floor");
  EXPECT_EQ(back.measured()->labels[1].text, "first launches are slower");
}

TEST(EvaluationJson, KeepsMeasurementsAndLeavesUnknownIntervalsOut) {
  Measured measured;
  measured.nanoseconds = 1e6;
  measured.grade = Grade::kMeasured;
  measured.workloads = {{"a", 1e6, 9e5, 1.1e6, {}}, {"b", 2e6, {}, {}, {}}};
  measured.deterministic = false;
  measured.profile = example_profile();
  const auto back = std::get<Measured>(round_trip(with(measured)).outcome);
  EXPECT_EQ(back.workloads[0].low, 9e5);
  EXPECT_FALSE(back.workloads[1].high);
  EXPECT_FALSE(back.deterministic);
  EXPECT_EQ(back.profile.kernels.size(), 1u);
}

TEST(DiagnosisJson, GivesBackWhatWentIn) {
  Finding finding;
  finding.tool = "bank_conflict";
  finding.severity = Severity::kCritical;
  finding.prescriptions = {{"pad-shared", "Pad the tile.", "tile[32][33]"}};
  finding.gain = {1.2, 2.5};
  finding.grade = Grade::kStatic;
  finding.spots = {{"k.cu", 5, 0}};
  Diagnosis diagnosis;
  diagnosis.boundness = Boundness::kLatency;
  diagnosis.at_roof = true;
  diagnosis.headroom = 1.5;
  diagnosis.findings = {finding};
  diagnosis.not_applicable = {"tensor_core: no contraction"};
  const auto back = diagnosis_from_json(to_json(diagnosis));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), to_json(diagnosis));
  EXPECT_EQ(back->findings[0].prescriptions[0].action, "pad-shared");
  EXPECT_EQ(back->findings[0].gain.high, 2.5);
  EXPECT_EQ(to_json(finding), to_json(diagnosis)["findings"][0]);
}

TEST(FromJson, NamesTheKeyThatIsMissingOrOfTheWrongType) {
  const auto error = [](const char* path, const Json& value) {
    Json json = to_json(with(Crashed{}));
    json[Json::json_pointer(path)] = value;
    const auto back = evaluation_from_json(json);
    EXPECT_FALSE(back);
    EXPECT_EQ(back.error().code, ErrorCode::kCorrupt);
    return back.error().message;
  };
  EXPECT_EQ(error("/outcome", "exploded"), "`evaluation.outcome` is not a known outcome");
  EXPECT_EQ(error("/outcome", 3), "`evaluation.outcome` is not a string");
  EXPECT_EQ(error("/details/fault", "fire"), "`evaluation.details.fault` is not a known name");
  EXPECT_EQ(error("/details/spot/line", "x"), "`evaluation.details.spot.line` is not an integer");
  EXPECT_EQ(error("/notes", {1}), "`evaluation.notes` is not an array of strings");
  EXPECT_EQ(error("/details", nullptr), "`evaluation.details` is not an object");
  EXPECT_EQ(evaluation_from_json(Json::array()).error().message,
            "`evaluation` is not a JSON object");
  Json profile = to_json(example_profile());
  profile["kernels"][0]["metrics"].begin()->erase("grade");
  EXPECT_EQ(profile_from_json(profile).error().message,
            "`profile.kernels[0].metrics.dram__bytes_read.sum.grade` is missing");
  EXPECT_FALSE(diagnosis_from_json(Json()));
}

TEST(ParseJson, SaysWhereTheTextIsBroken) {
  const auto broken = parse_json("{\n  \"a\": 1,,\n}");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(broken.error().spot.line, 2);
  EXPECT_EQ(broken.error().spot.column, 10);
  EXPECT_EQ(broken.error().message, "not valid JSON at byte 11");
  EXPECT_FALSE(parse_json(""));
  EXPECT_FALSE(parse_json("\"\xff\""));
  EXPECT_FALSE(parse_json(std::string(100'000, '[')));
}

TEST(ParseJson, KeepsTheOrderOfMembersWhenAsked) {
  const auto json = parse_ordered_json(R"({"b": 1, "a": 2})");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->begin().key(), "b");
}

}  // namespace
}  // namespace kp
