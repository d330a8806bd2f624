// SPDX-License-Identifier: Apache-2.0
// Problems in the forms in which FlashInfer-Bench and SOL-ExecBench publish theirs, from the
// command line: read, judged, diagnosed, improved, and written back in the words of those
// benchmarks.
#include <fstream>

#include "e2e/program.h"

namespace kp::e2e {
namespace {

std::string problem(const std::string& path) {
  return std::string(KP_SOURCE_DIR) + "/tests/problems/" + path;
}
const std::string kGather = "flashinfer/definitions/gather/gather_rows";

std::vector<nlohmann::json> lines_of(const std::string& file) {
  std::vector<nlohmann::json> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

class Problem : public testing::Test {
 protected:
  std::string out(const std::string& name) const { return (folder_.path() / name).string(); }
  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST_F(Problem, a_data_set_is_judged_on_its_own_data_with_a_second_opinion) {
  const auto outcome = run({"eval", problem(kGather + ".json"), problem(kGather + ".baseline.cu"),
                            "--device", "vgpu", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto published = outcome.json().at("evaluation").at("published");
  ASSERT_EQ(published.size(), 1u);
  EXPECT_EQ(published[0].at("rule"), "FlashInfer-Bench");
  EXPECT_EQ(published[0].at("passed"), true);
}

/// Passes a tolerance of a hundredth, and is wrong by ours.
TEST_F(Problem, our_verdict_stays_ours_where_the_published_tolerance_is_wider) {
  std::string source = read_text(problem(kGather + ".baseline.cu")).value();
  source.replace(source.find("* scale;"), 8, "* scale * 1.001f;");
  ASSERT_TRUE(write_file(folder_.path() / "near.cu", source));
  const auto outcome =
      run({"eval", problem("flashinfer"), out("near.cu"), "--device", "vgpu", "--json"});
  ASSERT_EQ(outcome.code, 3) << outcome.errors;
  const auto evaluation = outcome.json().at("evaluation");
  EXPECT_EQ(evaluation.at("outcome"), "wrong answer");
  EXPECT_EQ(evaluation.at("published")[0].at("passed"), true);
}

TEST_F(Problem, a_kernel_that_reads_other_rows_than_the_file_says_is_wrong) {
  std::string source = read_text(problem(kGather + ".baseline.cu")).value();
  source.replace(source.find("index[i / width]"), 16, "(i / width) % 19");
  ASSERT_TRUE(write_file(folder_.path() / "wrong.cu", source));
  const auto outcome =
      run({"eval", problem("flashinfer"), out("wrong.cu"), "--device", "vgpu", "--json"});
  EXPECT_EQ(outcome.code, 3) << outcome.output << outcome.errors;
}

/// Where nothing else gives the expected values, the definition's own Python does.
TEST_F(Problem, a_definition_alone_is_judged_by_its_python_and_its_own_inputs) {
  const auto outcome =
      run({"eval", problem("sol/routed"), problem("sol/routed/baseline.cu"), "--device", "vgpu"});
  if (outcome.errors.find("PyTorch") != std::string::npos) GTEST_SKIP() << outcome.errors;
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("oracle: PyTorch"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("by the tolerance of SOL-ExecBench"), std::string::npos);
}

TEST_F(Problem, a_folder_of_sol_execbench_is_diagnosed) {
  const auto outcome = run({"diagnose", problem("sol/half_sum"), "--device", "vgpu"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("half_sum"), std::string::npos) << outcome.output;
}

TEST_F(Problem, a_run_becomes_solutions_and_traces_that_say_they_are_modelled) {
  const auto found = run({"optimize", problem(kGather + ".json"), "--device", "vgpu", "--out",
                          out("run"), "--budget", "3"});
  ASSERT_EQ(found.code, 0) << found.errors;
  const auto refused = run({"trace", out("run"), "--as", "flashinfer"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.errors.find("modelled, not measured"), std::string::npos) << refused.errors;
  const auto written = run({"trace", out("run"), "--as", "flashinfer", "--modelled", "--json"});
  ASSERT_EQ(written.code, 0) << written.errors;
  const auto result = written.json();
  const auto traces = lines_of(result.at("traces"));
  ASSERT_EQ(traces.size(), 2u);
  EXPECT_EQ(traces[0].at("workload").at("inputs").at("index").at("tensor_key"), "index");
  EXPECT_EQ(traces[0].at("evaluation").at("status"), "PASSED");
  EXPECT_TRUE(traces[0].at("evaluation").at("performance").empty());
  const auto solution =
      nlohmann::json::parse(read_text(result.at("solutions")[0].get<std::string>()).value());
  EXPECT_EQ(solution.at("name"), traces[0].at("solution"));
  EXPECT_EQ(run({"trace", out("run"), "--as", "else"}).code, 1);
}

}  // namespace
}  // namespace kp::e2e
