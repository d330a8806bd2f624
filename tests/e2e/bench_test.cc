// SPDX-License-Identifier: Apache-2.0
// Suites of tasks: run, killed, gone on with, reported, compared and laid out.
#include <fstream>
#include <thread>

#include "base/process.h"
#include "base/sqlite.h"
#include "e2e/program.h"

namespace kp::e2e {
namespace {

class Bench : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  /// A suite file with these shipped tasks.
  std::string suite(const std::vector<std::string>& tasks, const std::string& rest) const {
    std::string text = "devices = [\"vgpu\"]\ntasks = [";
    for (const std::string& task : tasks) text += "\"" + shipped(task) + "\", ";
    std::ofstream(at("suite.toml")) << text << "]\n" << rest;
    return at("suite.toml");
  }
  nlohmann::json report() const { return run({"bench", "report", at("out"), "--json"}).json(); }
  std::int64_t rows(const std::string& table) const {
    auto database = Sqlite::open(at("out") + "/suite.db", Sqlite::Access::kRead);
    if (!database) return -1;
    auto row = database->prepare("SELECT count(*) FROM " + table);
    return row && row->step() ? row->integer(0) : -1;
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST_F(Bench, runs_a_suite_once_and_reports_what_is_known) {
  const auto file = suite({"swish", "transpose"}, "[run]\nbudget = 2\n");
  const auto first = run({"bench", file, "--out", at("out"), "--json"});
  ASSERT_EQ(first.code, 0) << first.errors;
  EXPECT_EQ(first.json().at("finished"), 2);
  EXPECT_EQ(first.json().at("left"), 0);
  const auto again = run({"bench", file, "--out", at("out"), "--json"});
  ASSERT_EQ(again.code, 0) << again.errors;
  EXPECT_NE(again.errors.find("0 runs to do"), std::string::npos) << again.errors;
  EXPECT_EQ(rows("result"), 2);

  const auto json = report();
  ASSERT_EQ(json.at("groups").size(), 1u);
  const auto& group = json.at("groups")[0];
  EXPECT_EQ(group.at("evidence"), "modelled");
  EXPECT_EQ(group.at("runs").size(), 2u);
  EXPECT_GT(group.at("baselines")[0].at("geometric_mean_solved").at("value").get<double>(), 1.1);
  EXPECT_EQ(group.at("baselines")[1].at("baseline"), "eager");
  EXPECT_TRUE(group.at("baselines")[1].at("geometric_mean_solved").is_null());
  EXPECT_TRUE(group.at("milestones")[0].at("cost_dollars").is_null());
  const auto text = run({"bench", "report", at("out"), "--markdown"});
  EXPECT_NE(text.output.find("| eager | unknown |"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("modelled"), std::string::npos);
}

TEST_F(Bench, gives_what_optimize_gives) {
  const auto file = suite({"swish"}, "[run]\nbudget = 2\n");
  ASSERT_EQ(run({"bench", file, "--out", at("out")}).code, 0);
  const auto alone = run({"optimize", shipped("swish"), "--device", "vgpu", "--budget", "2",
                          "--out", at("alone"), "--json"})
                         .json();
  const auto json = report();
  const auto& ours = json.at("groups")[0].at("runs")[0];
  EXPECT_EQ(ours.at("best_node"), alone.at("best_node"));
  // Caches of the virtual GPU see where arrays lie, which differs between two processes.
  EXPECT_NEAR(ours.at("speedup").get<double>(), alone.at("speedup").get<double>(), 1e-3);
}

TEST_F(Bench, goes_on_after_a_kill_and_comes_to_the_same) {
  const auto file = suite({"softmax", "swish"}, "[run]\nbudget = 4\n");
  ASSERT_EQ(run({"bench", file, "--out", at("whole")}).code, 0);
  {
    auto killed = Process::start(spec_of({"bench", file, "--out", at("out")}));
    ASSERT_TRUE(killed) << killed.error().text();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2 * KP_PATIENCE);
    while (rows("moment") < 2 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    killed->kill();
    EXPECT_TRUE(killed->wait(std::chrono::seconds(30)));
  }
  const auto moments = rows("moment");
  ASSERT_GE(moments, 2);
  const auto resumed = run({"bench", file, "--out", at("out"), "--json"});
  ASSERT_EQ(resumed.code, 0) << resumed.errors;
  EXPECT_EQ(resumed.json().at("finished"), 2);
  EXPECT_EQ(rows("result"), 2);
  const auto compared = run({"bench", "compare", at("whole"), at("out"), "--json"});
  ASSERT_EQ(compared.code, 0) << compared.errors;
  const auto one = compared.json().at("comparisons")[0];
  EXPECT_EQ(one.at("equal"), 2);
  EXPECT_EQ(one.at("sign_test_p"), 1);
}

TEST_F(Bench, works_on_several_runs_at_a_time) {
  const auto file = suite({"swish", "transpose"}, "seeds = 2\n[run]\nbudget = 1\n");
  const auto outcome = run({"bench", file, "--out", at("out"), "--jobs", "3", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(outcome.json().at("finished"), 4);
}

TEST_F(Bench, puts_a_task_that_does_not_work_into_quarantine_and_tries_it_again) {
  const auto task = folder_.path() / "broken";
  std::filesystem::copy(shipped("swish"), task, std::filesystem::copy_options::recursive);
  const auto baseline = *read_text(task / "baseline.cu");
  std::ofstream(task / "baseline.cu", std::ios::app) << "this is no CUDA\n";
  const std::string file = at("suite.toml");
  std::ofstream(file) << "devices = [\"vgpu\"]\ntasks = [\"" << shipped("swish") << "\", \""
                      << task.string() << "\", \"" << shipped("transpose")
                      << "\"]\n[run]\nbudget = 1\n[quarantine]\ntranspose = \"for this test\"\n";
  const auto outcome = run({"bench", file, "--out", at("out"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(outcome.json().at("finished"), 1);
  EXPECT_EQ(outcome.json().at("quarantined"), 2);
  const auto json = report();
  EXPECT_EQ(json.at("groups")[0].at("tasks"), 1);
  const std::string reasons = json.at("quarantined").dump();
  EXPECT_NE(reasons.find("baseline does not work"), std::string::npos) << reasons;
  EXPECT_NE(reasons.find("for this test"), std::string::npos) << reasons;

  std::ofstream(task / "baseline.cu") << baseline;
  const auto mended = run({"bench", file, "--out", at("out"), "--json"});
  EXPECT_EQ(mended.json().at("finished"), 2) << mended.errors;
  EXPECT_EQ(mended.json().at("quarantined"), 1);
}

TEST_F(Bench, a_task_may_begin_with_a_plan_of_the_suite) {
  const auto task = folder_.path() / "broken";
  std::filesystem::copy(shipped("swish"), task, std::filesystem::copy_options::recursive);
  std::ofstream(task / "baseline.cu", std::ios::app) << "this is no CUDA\n";
  std::filesystem::copy(shipped("swish/baseline.cu"), at("plan.cu"));
  const auto suite_with = [&](const std::string& tasks) {
    std::ofstream(at("suite.toml"))
        << "devices = [\"vgpu\"]\ntasks = " << tasks << "\n[run]\nbudget = 2\n";
    return at("suite.toml");
  };
  const auto begun = run({"bench", suite_with("[{path = \"broken\", from = \"plan.cu\"}]"), "--out",
                          at("out"), "--json"});
  ASSERT_EQ(begun.code, 0) << begun.errors;
  EXPECT_EQ(begun.json().at("finished"), 1) << begun.errors;
  EXPECT_EQ(run({"bench", "noise", at("out"), "--device", "vgpu"}).code, 0);
  EXPECT_EQ(rows("noise"), 1);
  ASSERT_EQ(run({"bench", "audit", at("out"), "--sample", "1"}).code, 0);
  EXPECT_NE(read_text(at("out") + "/audit/01-broken-seed-1/README.md")
                ->find("best.cu --from " + at("plan.cu")),
            std::string::npos);
  const auto other = run({"bench", suite_with("\"broken\""), "--out", at("out")});
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.errors.find("was begun with " + at("plan.cu")), std::string::npos)
      << other.errors;
}

TEST_F(Bench, compares_arms_with_the_noise_beside_them) {
  const auto file = suite({"swish"},
                          "[run]\nbudget = 2\n[[arm]]\nname = \"none\"\nbudget = 1\n"
                          "[[arm]]\nname = \"two\"\n");
  ASSERT_EQ(run({"bench", file, "--out", at("out")}).code, 0);
  const auto noise = run({"bench", "noise", at("out"), "--device", "vgpu"});
  ASSERT_EQ(noise.code, 0) << noise.errors;
  const auto compared = run({"bench", "compare", at("out") + ":two", at("out") + ":none"});
  ASSERT_EQ(compared.code, 0) << compared.errors;
  EXPECT_NE(compared.output.find("1 / 0 / 0"), std::string::npos) << compared.output;
  EXPECT_NE(compared.output.find("1.0000"), std::string::npos) << compared.output;
  const auto wrong = run({"bench", "compare", at("out"), at("out") + ":two"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.errors.find("there are none, two"), std::string::npos) << wrong.errors;
}

TEST_F(Bench, lays_out_winners_for_an_auditor) {
  const auto file = suite({"swish"}, "[run]\nbudget = 2\n");
  ASSERT_EQ(run({"bench", file, "--out", at("out")}).code, 0);
  const auto audit = run({"bench", "audit", at("out"), "--sample", "3"});
  ASSERT_EQ(audit.code, 0) << audit.errors;
  const auto page = read_text(at("out") + "/audit/01-swish-seed-1/README.md");
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_NE(page->find("kernelpro eval"), std::string::npos);
  EXPECT_NE(page->find("every time below is modelled"), std::string::npos) << *page;
  const auto change = read_text(at("out") + "/audit/01-swish-seed-1/change.diff");
  ASSERT_TRUE(change);
  EXPECT_NE(change->find("+++"), std::string::npos);
}

TEST_F(Bench, refuses_what_would_mix_two_samples) {
  const auto file = suite({"swish"}, "[run]\nbudget = 1\n");
  ASSERT_EQ(run({"bench", file, "--out", at("out")}).code, 0);
  const auto other = run({"bench", file, "--out", at("out"), "--budget", "3"});
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.errors.find("was begun with other settings"), std::string::npos) << other.errors;
}

TEST_F(Bench, says_what_is_wrong_with_a_command) {
  const auto none = run({"bench"});
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.errors.find("no suite was named"), std::string::npos) << none.errors;
  const auto empty = run({"bench", "report", folder_.path().string()});
  EXPECT_EQ(empty.code, 1);
  EXPECT_NE(empty.errors.find("there are no results of a suite"), std::string::npos);
  const auto arm = run({"bench", suite({"swish"}, ""), "--arm", "all2", "--out", at("out")});
  EXPECT_EQ(arm.code, 1);
  EXPECT_NE(arm.errors.find("its arms: all"), std::string::npos) << arm.errors;
  const auto ncu =
      run({"bench", suite({"swish"}, "[run]\nfeedback = \"ncu\"\n"), "--out", at("n")});
  EXPECT_EQ(ncu.code, 1);
  EXPECT_NE(ncu.errors.find("Nsight Compute"), std::string::npos) << ncu.errors;
}

}  // namespace
}  // namespace kp::e2e
