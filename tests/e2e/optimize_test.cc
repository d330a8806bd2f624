// SPDX-License-Identifier: Apache-2.0
// The main job, from the command line, on the tasks that are shipped.
#include <set>

#include "e2e/program.h"

namespace kp::e2e {
namespace {

class Optimize : public testing::Test {
 protected:
  std::string out(const std::string& name = "run") const {
    return (folder_.path() / name).string();
  }
  TemporaryFolder folder_ = *TemporaryFolder::make();
};

/// One run of the transpose for all tests that only look at what it left.
struct Finished {
  TemporaryFolder folder = *TemporaryFolder::make();
  std::string out = (folder.path() / "run").string();
  Outcome outcome = run({"optimize", shipped("transpose"), "--out", out});
};
const Finished& transpose() {
  static const Finished finished;
  return finished;
}

TEST_F(Optimize, makes_the_transpose_at_least_half_again_as_fast) {
  const auto outcome = run({"optimize", shipped("transpose"), "--out", out(), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto result = outcome.json();
  EXPECT_GE(result.at("speedup").get<double>(), 1.5);
  EXPECT_EQ(result.at("evidence"), "modelled");
  EXPECT_EQ(result.at("run"), out());
  EXPECT_GE(result.at("evaluations").get<int>(), 2);
  EXPECT_FALSE(result.at("stopped_because").get<std::string>().empty());
  const auto best = read_text(result.at("best").get<std::string>());
  ASSERT_TRUE(best);
  EXPECT_NE(best->find("kernelpro"), std::string::npos);
}

TEST_F(Optimize, writes_a_best_version_that_eval_confirms) {
  const auto result = run({"optimize", shipped("transpose"), "--out", out(), "--json"}).json();
  const auto again =
      run({"eval", shipped("transpose"), result.at("best").get<std::string>(), "--json"});
  ASSERT_EQ(again.code, 0) << again.errors;
  EXPECT_NEAR(again.json().at("speedup").get<double>(), result.at("speedup").get<double>(), 0.01);
}

TEST_F(Optimize, says_how_to_repeat_a_run_that_began_elsewhere) {
  const auto better = *read_text(transpose().out + "/best.cu");
  ASSERT_TRUE(write_file(folder_.path() / "from.cu", better));
  const auto begun = run({"optimize", shipped("transpose"), "--from", out("from.cu"), "--budget",
                          "1", "--out", out(), "--json"});
  ASSERT_EQ(begun.code, 0) << begun.errors;
  EXPECT_EQ(begun.json().at("speedup"), 1.0);
  EXPECT_NE(read_text(out() + "/report.md")->find("--budget 1 --from " + out("from.cu")),
            std::string::npos);
}

TEST_F(Optimize, what_eval_compares_with_may_be_any_plan) {
  const std::string best = transpose().out + "/best.cu";
  const auto itself = run({"eval", shipped("transpose"), best, "--from", best, "--json"});
  ASSERT_EQ(itself.code, 0) << itself.errors;
  EXPECT_NEAR(itself.json().at("speedup").get<double>(), 1, 0.01);
  const auto alone = run({"eval", shipped("transpose"), "--from", best, "--json"});
  ASSERT_EQ(alone.code, 0) << alone.errors;
  const auto time = [](const Outcome& outcome) {
    return outcome.json().at("evaluation").at("details").at("nanoseconds").get<double>();
  };
  EXPECT_NEAR(time(alone) / time(itself), 1, 0.01) << "without a candidate it is judged itself";
  const auto wrong = run({"eval", shipped("transpose"), "--from", shipped("swish/baseline.cu")});
  EXPECT_EQ(wrong.code, 1) << "a plan of another task";
}

TEST_F(Optimize, reports_the_path_the_findings_the_ledger_and_the_environment) {
  ASSERT_EQ(transpose().outcome.code, 0);
  const auto report = *read_text(transpose().out + "/report.md");
  for (const char* part : {"## Result", "modelled", "```diff", "## What was found", "bank_conflict",
                           "## Ledger", "predicted", "## How it was made", "vgpu:h200", "NVRTC",
                           "modelled, not measured", "--device vgpu:h200 --seed 1 --budget 60"}) {
    EXPECT_NE(report.find(part), std::string::npos) << part;
  }
}

TEST_F(Optimize, stops_at_the_roof_by_itself_and_says_what_alone_could_help) {
  const auto outcome = run({"optimize", shipped("swish"), "--out", out()});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find("only fusion"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("narrower types"), std::string::npos) << outcome.output;
  const auto shown = run({"show", out(), "--json"}).json();
  EXPECT_EQ(shown.at("stopped_because"), "at-roof");
  EXPECT_LE(shown.at("nodes").size(), 3u);
}

TEST_F(Optimize, improves_every_other_shipped_task) {
  for (const char* task : {"dequant", "softmax", "smooth.cu"}) {
    const auto outcome =
        run({"optimize", shipped(task), "--out", out(task), "--budget", "12", "--json"});
    ASSERT_EQ(outcome.code, 0) << task << outcome.errors;
    EXPECT_GT(outcome.json().at("speedup").get<double>(), 1.0) << task;
  }
}

TEST_F(Optimize, says_that_modelled_times_are_no_measurement_and_what_comes_next) {
  const auto& outcome = transpose().outcome;
  EXPECT_NE(outcome.output.find("modelled"), std::string::npos);
  EXPECT_NE(outcome.output.find("next: kernelpro explain"), std::string::npos);
}

TEST_F(Optimize, prints_plain_lines_without_colour_when_nobody_watches) {
  const auto& outcome = transpose().outcome;
  EXPECT_EQ(outcome.errors.find('\x1b'), std::string::npos);
  EXPECT_EQ(outcome.output.find('\x1b'), std::string::npos);
  EXPECT_EQ(outcome.errors.find('\r'), std::string::npos);
  EXPECT_NE(outcome.errors.find("#0"), std::string::npos);
}

/// All that must be the same in two runs: the tree with what came of each node.
nlohmann::json tree_of(const std::string& run_folder) {
  return run({"show", run_folder, "--json"}).json().at("nodes");
}

TEST_F(Optimize, grows_the_same_tree_for_the_same_seed_on_any_number_of_cores) {
  const std::vector<std::string> command{
      "optimize", shipped("softmax"), "--budget", "4", "--seed", "7", "--out"};
  for (const char* threads : {"1", "2", "3"}) {
    auto arguments = command;
    arguments.push_back(out(threads));
    ASSERT_EQ(run(arguments, threads).code, 0);
  }
  EXPECT_EQ(tree_of(out("1")), tree_of(out("2")));
  EXPECT_EQ(tree_of(out("1")), tree_of(out("3")));
}

constexpr const char* kTuned = R"(/* kernelpro
axis   n = 1048576
check  n = 1003
input  x : f32[n] ~ normal
output y : f32[n]
work   flops = 2 * n
tune   PER in 1, 2, 4
launch scale<<<ceil_div(n, 64 * PER), 64>>>(x, y, n)
*/
extern "C" __global__ void scale(const float* x, float* y, int n) {
  for (int k = 0; k < PER; ++k) {
    int i = (blockIdx.x * PER + k) * 64 + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
  }
}
)";

TEST_F(Optimize, sweeps_tune_parameters_and_never_tries_the_default_again) {
  const auto file = folder_.path() / "tuned.cu";
  ASSERT_TRUE(write_file(file, kTuned));
  const auto outcome = run({"optimize", file.string(), "--out", out(), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_GT(outcome.json().at("speedup").get<double>(), 1.0);
  std::set<int> tried;
  for (const auto& node : tree_of(out())) {
    if (node.at("tune").contains("PER")) tried.insert(node.at("tune").at("PER").get<int>());
  }
  EXPECT_FALSE(tried.contains(1));
  EXPECT_TRUE(tried.contains(2) || tried.contains(4));
}

TEST_F(Optimize, accepts_every_strategy) {
  for (const char* search : {"greedy", "beam", "best-of-n"}) {
    const auto outcome = run({"optimize", shipped("transpose"), "--search", search, "--budget", "3",
                              "--out", out(search), "--json"});
    ASSERT_EQ(outcome.code, 0) << search << outcome.errors;
    EXPECT_GE(outcome.json().at("speedup").get<double>(), 1.0);
  }
}

TEST_F(Optimize, survives_forty_three_failures_before_the_first_correct_kernel) {
  const auto task = folder_.path() / "task";
  std::filesystem::copy(shipped("swish"), task, std::filesystem::copy_options::recursive);
  std::filesystem::remove(task / "baseline.cu");
  const auto good = *read_text(shipped("swish") + "/baseline.cu");
  nlohmann::json script = nlohmann::json::array();
  for (int failure = 0; failure < 43; ++failure) {
    std::string bad = good;
    bad.insert(bad.rfind('}'),
               failure % 2 ? "  this does not compile\n" : "  if (i < n) y[i] = 0;\n");
    bad += "// attempt " + std::to_string(failure) + "\n";
    script.push_back({{"source", bad}, {"idea", "attempt " + std::to_string(failure)}});
  }
  script.push_back({{"source", good}, {"idea", "the one that works"}});
  ASSERT_TRUE(write_file(folder_.path() / "script.json", script.dump()));
  const auto outcome =
      run({"optimize", task.string(), "--proposer",
           "scripted:" + (folder_.path() / "script.json").string(), "--out", out(), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(outcome.json().at("best_node"), 44);
  EXPECT_EQ(outcome.json().at("evaluations"), 44);
}

TEST_F(Optimize, explains_each_node) {
  ASSERT_EQ(transpose().outcome.code, 0);
  const auto explained = run({"explain", transpose().out, "1"});
  ASSERT_EQ(explained.code, 0) << explained.errors;
  for (const char* part : {"child of #0", "predicted", "gained", "UCT"}) {
    EXPECT_NE(explained.output.find(part), std::string::npos) << part << "\n" << explained.output;
  }
  const auto missing = run({"explain", transpose().out, "99"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.errors.find("no node 99"), std::string::npos);
}

}  // namespace
}  // namespace kp::e2e
