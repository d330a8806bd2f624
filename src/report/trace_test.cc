// SPDX-License-Identifier: Apache-2.0
#include "report/trace.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "report/run_fixture.h"

namespace kp::report {
namespace {

Workload workload(const char* uuid, WorkloadRole role) {
  Workload made;
  made.name = role == WorkloadRole::kCheck ? std::string("check:") + uuid : uuid;
  made.role = role;
  made.published = std::string(R"({"uuid": ")") + uuid +
                   R"(", "axes": {"n": 4}, "inputs": {"x": {"type": "random"}}})";
  return made;
}

/// As a GPU judges: measured, beside the baseline.
Evaluation on_gpu() {
  Measured measured;
  measured.grade = Grade::kMeasured;
  measured.nanoseconds = 2000;
  measured.workloads = {{"a", 1000, 990.0, 1010.0, Speedup{1.5, 1.4, 1.6, 30}}, {"b", 4000}};
  measured.worst_error = 1e-7;
  measured.error_limit = 2e-5;
  Evaluation evaluation{measured, Depth::kFinal, "cuda:0", 0.5};
  evaluation.sandbox = "namespaces, seccomp";
  evaluation.notes = {"oracle: host"};
  evaluation.published = {{"FlashInfer-Bench", "check:a", true, 0.25, 0.5, 1, 1}};
  return evaluation;
}

class TraceTest : public StoredRun {
 protected:
  void SetUp() override {
    append(store::ProposalRecord{0,
                                 std::nullopt,
                                 "/* kernelpro\n  launch copy<<<1, 32>>>(x, y)\n*/",
                                 {{"BLOCK", 64}},
                                 "the baseline",
                                 "",
                                 "",
                                 {}});
    task_.name = "copy";
    task_.workloads = {workload("a", WorkloadRole::kTime), workload("b", WorkloadRole::kTime),
                       workload("a", WorkloadRole::kCheck)};
    ASSERT_TRUE(store_->remember({{"product", "NVIDIA H200"},
                                  {"version", "0.1.0"},
                                  {"date", "2026-01-31 09:05 UTC"},
                                  {"compiler", "NVRTC 13.0"}}));
  }
  void judge(const Evaluation& evaluation) {
    append(store::NodeRecord{0, std::nullopt, 0, "c0c0c0c0c0", evaluation, 1.0, {}});
    view_ = view();
  }
  TraceRequest request(TraceForm form = TraceForm::kFlashInfer, bool modelled = false) const {
    return {.run = view_, .task = task_, .form = form, .author = "me", .modelled = modelled};
  }
  /// The evaluation of each trace that is written.
  std::vector<nlohmann::ordered_json> evaluations(TraceForm form = TraceForm::kFlashInfer) const {
    const auto traces = traces_of(request(form), 0);
    EXPECT_TRUE(traces) << traces.error().text();
    std::vector<nlohmann::ordered_json> found;
    for (const auto& trace : *traces) found.push_back(trace.at("evaluation"));
    return found;
  }

  Task task_;
  RunView view_;
};

TEST_F(TraceTest, WritesASolutionOfEachBenchmark) {
  judge(on_gpu());
  const auto flashinfer = solution_of(request(), 0);
  ASSERT_TRUE(flashinfer) << flashinfer.error().text();
  EXPECT_EQ(flashinfer->at("name"), "copy_kernelpro_0_c0c0c0c0");
  EXPECT_EQ(flashinfer->at("definition"), "copy");
  EXPECT_EQ(flashinfer->at("author"), "me");
  EXPECT_EQ(flashinfer->at("spec").at("language"), "cuda");
  EXPECT_EQ(flashinfer->at("spec").at("entry_point"), "kernel.cu::copy");
  EXPECT_EQ(flashinfer->at("spec").at("target_hardware"), nlohmann::json({"NVIDIA H200"}));
  EXPECT_NE(flashinfer->at("description").get<std::string>().find("-DBLOCK=64"), std::string::npos);
  const auto sol = solution_of(request(TraceForm::kSol), 0);
  ASSERT_TRUE(sol) << sol.error().text();
  EXPECT_EQ(sol->at("spec").at("languages"), nlohmann::json({"cuda_cpp"}));
  EXPECT_EQ(sol->at("spec").at("target_hardware"), nlohmann::json({"LOCAL"}));
}

TEST_F(TraceTest, SaysOfEachWorkloadWhatWasMeasuredAndLeavesOutTheRest) {
  judge(on_gpu());
  const auto traces = traces_of(request(), 0);
  ASSERT_TRUE(traces) << traces.error().text();
  ASSERT_EQ(traces->size(), 2u);
  const auto& first = traces->at(0);
  EXPECT_EQ(first.at("definition"), "copy");
  EXPECT_EQ(first.at("solution"), "copy_kernelpro_0_c0c0c0c0");
  EXPECT_EQ(first.at("workload").at("uuid"), "a");
  const auto& evaluation = first.at("evaluation");
  EXPECT_EQ(evaluation.at("status"), "PASSED");
  EXPECT_EQ(evaluation.at("timestamp"), "2026-01-31T09:05:00Z");
  EXPECT_EQ(evaluation.at("environment").at("hardware"), "NVIDIA H200");
  EXPECT_EQ(evaluation.at("environment").at("libs").at("compiler"), "NVRTC 13.0");
  EXPECT_EQ(evaluation.at("correctness").at("max_absolute_error"), 0.25);
  EXPECT_EQ(evaluation.at("performance").at("latency_ms"), 0.001);
  EXPECT_EQ(evaluation.at("performance").at("reference_latency_ms"), 0.0015);
  EXPECT_EQ(evaluation.at("performance").at("speedup_factor"), 1.5);
  EXPECT_NE(evaluation.at("log").get<std::string>().find("not the Python of the definition"),
            std::string::npos);
  const auto& second = traces->at(1).at("evaluation");
  EXPECT_FALSE(second.at("correctness").contains("max_absolute_error")) << "nobody looked at b";
  EXPECT_FALSE(second.at("performance").contains("speedup_factor"));
  EXPECT_EQ(second.at("performance").at("latency_ms"), 0.004);
}

TEST_F(TraceTest, CallsPassedOnlyWhatBothSidesPass) {
  Evaluation evaluation = on_gpu();
  evaluation.published[0].passed = false;
  evaluation.published[0].max_relative_error = std::numeric_limits<double>::quiet_NaN();
  evaluation.published[0].has_nan = true;
  judge(evaluation);
  const auto flashinfer = evaluations();
  EXPECT_EQ(flashinfer[0].at("status"), "INCORRECT_NUMERICAL");
  EXPECT_FALSE(flashinfer[0].contains("performance"));
  EXPECT_EQ(flashinfer[0].at("correctness").at("max_relative_error"), "NaN");
  const auto sol = evaluations(TraceForm::kSol);
  EXPECT_EQ(sol[0].at("correctness").at("max_relative_error"), 0.0);
  EXPECT_EQ(sol[0].at("correctness").at("has_nan"), true);
}

TEST_F(TraceTest, MapsEveryOutcomeToAStatus) {
  WrongAnswer wrong;
  wrong.workload = "check:a";
  wrong.gate = "row";
  struct {
    Outcome outcome;
    const char* flashinfer;
    const char* sol;
    std::size_t lines;
  } const cases[] = {{BuildFailed{"log"}, "COMPILE_ERROR", "COMPILE_ERROR", 2},
                     {Crashed{}, "RUNTIME_ERROR", "RUNTIME_ERROR", 1},
                     {TimedOut{}, "TIMEOUT", "TIMEOUT", 1},
                     {Rejected{"canary", "no"}, "RUNTIME_ERROR", "RUNTIME_ERROR", 1},
                     {Rejected{"late-write", "no"}, "RUNTIME_ERROR", "REWARD_HACK", 1},
                     {wrong, "INCORRECT_NUMERICAL", "INCORRECT_NUMERICAL", 1}};
  append(store::NodeRecord{0, std::nullopt, 0, "c0", on_gpu(), 1.0, {}});
  for (const auto& one : cases) {
    Evaluation evaluation{one.outcome, Depth::kQuick, "cuda:0", 0.5};
    evaluation.sandbox = "namespaces";
    const int node = add(0, evaluation);
    view_ = view();
    for (const TraceForm form : {TraceForm::kFlashInfer, TraceForm::kSol}) {
      const auto traces = traces_of(request(form), node);
      ASSERT_TRUE(traces) << traces.error().text();
      ASSERT_EQ(traces->size(), one.lines) << one.flashinfer;
      EXPECT_EQ(traces->at(0).at("evaluation").at("status"),
                form == TraceForm::kSol ? one.sol : one.flashinfer);
    }
  }
  EXPECT_EQ(judged_nodes(view_).size(), 1 + std::size(cases));
}

TEST_F(TraceTest, NeverPassesModelledTimesOffAsMeasured) {
  judge(measured_in(100));
  const auto refused = traces_of(request(), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().text(),
      "node 0 was judged on vgpu:h200, whose times are modelled, not measured\nhint: judge it "
      "on a GPU (`kernelpro eval --device cuda`); `--modelled` writes what is known without "
      "times");
  EXPECT_FALSE(solution_of(request(), 0));
  task_.workloads[0].name = "time-64x64";
  const auto marked = traces_of(request(TraceForm::kFlashInfer, true), 0);
  ASSERT_TRUE(marked) << marked.error().text();
  ASSERT_EQ(marked->size(), 1u);
  const auto& evaluation = marked->at(0).at("evaluation");
  EXPECT_EQ(evaluation.at("environment").at("hardware"), "virtual GPU (vgpu:h200)");
  EXPECT_TRUE(evaluation.at("performance").empty());
  EXPECT_NE(evaluation.at("log").get<std::string>().find("no times"), std::string::npos);
}

TEST_F(TraceTest, NeedsATaskThatIsPublishedAndANodeThatWasJudged) {
  judge(on_gpu());
  EXPECT_EQ(traces_of(request(), 7).error().message, "the run has no node 7");
  task_.workloads[0].published.clear();
  const auto refused = traces_of(request(), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message, "task copy has no definition.json that a trace could name");
}

TEST(TraceForms, AreCalledAsTheirBenchmarks) {
  EXPECT_EQ(trace_form("flashinfer"), TraceForm::kFlashInfer);
  EXPECT_EQ(trace_form("sol"), TraceForm::kSol);
  EXPECT_FALSE(trace_form("other"));
}

}  // namespace
}  // namespace kp::report
