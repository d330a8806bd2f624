// SPDX-License-Identifier: Apache-2.0
// The loop taken apart, as people and agents drive it; and a recorded run without what it was
// recorded with.
#include <signal.h>

#include <map>
#include <set>
#include <thread>

#include "base/process.h"
#include "e2e/program.h"

namespace kp::e2e {
namespace {

constexpr const char* kTask = R"(/* kernelpro
axis   n = 65536
check  n = 1003
input  x : f32[n] ~ normal
output y : f32[n]
work   flops = 2 * n
launch scale<<<ceil_div(n, 32), 32>>>(x, y, n)
*/
extern "C" __global__ void scale(const float* x, float* y, int n) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
)";

/// Blocks of `threads`, told apart by `number`; what is wrong by design adds one.
std::string version(int threads, int number, bool wrong = false) {
  const std::string t = std::to_string(threads);
  return "/* kernelpro\nlaunch scale<<<ceil_div(n, " + t + "), " + t + ">>>(x, y, n)\n*/\n// " +
         std::to_string(number) +
         "\nextern \"C\" __global__ void scale(const float* x, float* y, int n) {\n"
         "  int i = blockIdx.x * " +
         t + " + threadIdx.x;\n  if (i < n) y[i] = 2.0f * x[i]" + (wrong ? " + 1.0f" : "") +
         ";\n}\n";
}

class ByHand : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(write_file(task(), kTask)); }
  std::string task() const { return (folder_.path() / "scale.cu").string(); }
  std::string out(const std::string& name = "run") const {
    return (folder_.path() / name).string();
  }
  std::string file(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(write_file(folder_.path() / name, text));
    return (folder_.path() / name).string();
  }
  nlohmann::json json_of(const std::vector<std::string>& command) const {
    const auto outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return outcome.code == 0 ? outcome.json() : nlohmann::json();
  }
  /// With its baseline judged.
  void begin() {
    json_of({"start", task(), "--out", out(), "--device", "vgpu:h200", "--json"});
    EXPECT_EQ(json_of({"work", out(), "--json"}).at("judged").size(), 1u);
  }
  /// Every proposal became one node.
  void expect_judged_once(std::size_t nodes) {
    const auto shown = json_of({"show", out(), "--json"});
    EXPECT_TRUE(shown.at("pending").empty()) << shown.at("pending");
    EXPECT_EQ(shown.at("nodes").size(), nodes);
    std::map<std::string, int> seen;
    for (const auto& node : shown.at("nodes")) ++seen[node.at("candidate").get<std::string>()];
    EXPECT_EQ(seen.size(), nodes) << "a candidate was judged twice";
  }
  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST_F(ByHand, goes_from_a_start_to_a_finished_kernel) {
  const auto started = json_of({"start", task(), "--out", out(), "--json"});
  EXPECT_EQ(started.at("run"), out());
  const auto early = run({"ask", out()});
  EXPECT_EQ(early.code, 1);
  EXPECT_NE(early.errors.find("kernelpro work"), std::string::npos) << early.errors;
  const auto baseline = json_of({"work", out(), "--device", "vgpu", "--json"});
  EXPECT_EQ(baseline.at("judged").at(0).at("outcome"), "measured");
  const auto asked = json_of({"ask", out(), "--json"}).at("asks");
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].at("node"), 0);
  EXPECT_EQ(asked[0].at("role"), "improve");
  EXPECT_NE(asked[0].at("prompt").dump().find("__global__"), std::string::npos);
  EXPECT_EQ(run({"tell", out(), "0", file("b.cu", version(256, 1)), "--json"})
                .json()
                .at("proposals")
                .at(0)
                .at("proposal"),
            1);
  EXPECT_NE(run({"show", out()}).output.find("waits to be judged: proposal 1"), std::string::npos);
  EXPECT_EQ(json_of({"work", out(), "--json"}).at("judged").size(), 1u);
  const auto finished = json_of({"finish", out(), "--json"});
  EXPECT_EQ(finished.at("best_node"), 1);
  EXPECT_GT(finished.at("speedup").get<double>(), 1.0);
  EXPECT_EQ(*read_text(finished.at("best").get<std::string>()), version(256, 1));
}

TEST_F(ByHand, takes_a_models_reply_and_says_what_is_wrong_with_one) {
  begin();
  const auto reply = file("reply.md", "Larger blocks.\n\n```cuda\n" + version(128, 1) + "```\n");
  EXPECT_EQ(json_of({"tell", out(), "0", reply, "--json"}).at("proposals").size(), 1u);
  EXPECT_TRUE(json_of({"tell", out(), "0", reply, "--json"}).at("proposals").at(0).at("known"));
  for (const auto& bad : {file("empty.md", "I cannot help with that.\n"),
                          file("bad.cu", "/* kernelpro\nlaunch none<<<1, 1>>>()\n*/\n")}) {
    const auto refused = run({"tell", out(), "0", bad});
    EXPECT_EQ(refused.code, 1) << refused.output;
    EXPECT_NE(refused.errors.find(Path(bad).filename().string()), std::string::npos)
        << refused.errors;
  }
  EXPECT_EQ(run({"tell", out(), "9", reply}).code, 1);
  json_of({"work", out(), "--json"});
  expect_judged_once(2);
}

TEST_F(ByHand, stays_together_when_four_processes_ask_tell_and_work_at_once) {
  begin();
  constexpr int kProcesses = 4, kRounds = 3;
  const auto take_part = [&](int me) {
    for (int round = 0; round < kRounds; ++round) {
      const int number = me * 100 + round;
      const auto asked = run({"ask", out(), "--json"}, "1");
      EXPECT_EQ(asked.code, 0) << asked.errors;
      const auto asks = asked.json().at("asks");
      const int node = asks.empty() ? 0 : asks[0].at("node").get<int>();
      const auto told = run({"tell", out(), std::to_string(node),
                             file(std::to_string(number) + ".cu",
                                  version(32 << (number % 5), number, number % 3 == 0))},
                            "1");
      EXPECT_EQ(told.code, 0) << told.errors;
      EXPECT_EQ(run({"work", out(), "--once"}, "1").code, 0);
    }
  };
  std::vector<std::thread> processes;
  for (int me = 1; me <= kProcesses; ++me) processes.emplace_back(take_part, me);
  for (auto& process : processes) process.join();
  json_of({"work", out(), "--json"});
  expect_judged_once(1 + kProcesses * kRounds);
}

TEST_F(ByHand, loses_nothing_when_workers_and_tellers_are_killed) {
  begin();
  std::set<std::string> told;
  for (int round = 0; round < 6; ++round) {
    const auto kernel = file(std::to_string(round) + ".cu", version(64, round));
    for (const auto& command : {std::vector<std::string>{"tell", out(), "0", kernel},
                                std::vector<std::string>{"work", out()}}) {
      auto process = Process::start(spec_of(command, "1"));
      ASSERT_TRUE(process) << process.error().text();
      // Some die before they began, some in the middle, some after the end.
      (void)process->wait(std::chrono::milliseconds(round * 40));
      process->kill();
      ASSERT_TRUE(process->gone(std::chrono::seconds(20)));
    }
    json_of({"tell", out(), "0", kernel, "--json"});  // nobody knows whether it was taken
  }
  json_of({"work", out(), "--json"});
  expect_judged_once(1 + 6);
}

TEST_F(ByHand, can_be_carried_away_and_gone_on_with_by_a_proposer) {
  begin();
  json_of({"ask", out(), "--json"});
  std::filesystem::remove(task());
  std::filesystem::copy(out(), out("elsewhere"), std::filesystem::copy_options::recursive);
  const auto bare = run({"resume", out("elsewhere")});
  EXPECT_EQ(bare.code, 1);
  EXPECT_NE(bare.errors.find("--proposer"), std::string::npos) << bare.errors;
  const auto resumed =
      json_of({"resume", out("elsewhere"), "--proposer", "rewriter", "--budget", "4", "--json"});
  EXPECT_GT(resumed.at("evaluations").get<int>(), 1);
}

TEST_F(ByHand, refuses_another_device_than_the_one_that_judges) {
  begin();
  auto spec = *read_text(std::string(KP_SOURCE_DIR) + "/specs/h200.toml");
  const std::string name = "\"h200\"";
  spec.replace(spec.find(name), name.size(), "\"other\"");
  const auto other = file("other.toml", spec);
  const auto refused = run({"work", out(), "--device", "vgpu:" + other});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.errors.find("judged on vgpu:h200"), std::string::npos) << refused.errors;
}

TEST_F(ByHand, shows_what_was_tried_and_shares_it_where_that_is_wanted) {
  const std::string memory = out("memory.db");
  const auto with_memory = [&](std::vector<std::string> command) {
    ChildSpec spec = spec_of(std::move(command));
    spec.environment.push_back("KERNELPRO_MEMORY=" + memory);
    const auto exit = run_child(spec);
    EXPECT_TRUE(exit);
    EXPECT_EQ(exit->code, 0) << exit->error_output;
    return exit->output;
  };
  with_memory({"start", task(), "--out", out(), "--device", "vgpu:h200"});
  with_memory({"work", out()});
  with_memory(
      {"tell", out(), "0", file("a.cu", version(128, 1)), file("b.cu", version(64, 2, true))});
  with_memory({"work", out()});
  const auto own = nlohmann::json::parse(with_memory({"memory", out(), "--json"}));
  ASSERT_EQ(own.size(), 1u);
  EXPECT_EQ(own[0].at("tried"), 2);
  EXPECT_EQ(own[0].at("worked"), 1);
  EXPECT_GT(own[0].at("median_gain").get<double>(), 1.0);
  EXPECT_NE(own[0].at("last_lesson").get<std::string>().find("gate"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(with_memory({"memory", "--json"})), own);
  const std::string told = "Tried on kernels with findings like these";
  for (const std::string scope : {"shared", "held-out", "own"}) {
    with_memory({"start", task(), "--out", out(scope), "--memory", scope, "--device", "vgpu:h200"});
    with_memory({"work", out(scope)});
    EXPECT_EQ(with_memory({"ask", out(scope)}).find(told) != std::string::npos, scope == "shared")
        << scope;
  }
  EXPECT_EQ(with_memory({"memory", "--forget"}), "2 experiences forgotten\n");
  EXPECT_EQ(with_memory({"memory"}), "nothing was tried yet\n");
  EXPECT_EQ(nlohmann::json::parse(with_memory({"memory", out(), "--json"})), own);
}

nlohmann::json tree_of(const std::string& run_folder) {
  return run({"show", run_folder, "--json"}).json().at("nodes");
}

TEST_F(ByHand, replays_a_recorded_run_exactly_and_without_a_compiler) {
  const std::string recording = out("run.jsonl");
  json_of({"optimize", shipped("softmax"), "--budget", "5", "--device", "vgpu:h200", "--out",
           out("recorded"), "--record", recording, "--json"});
  ChildSpec spec = spec_of({"optimize", shipped("softmax"), "--proposer", "replay:" + recording,
                            "--out", out("replayed"), "--json"});
  spec.environment.push_back("CUDA_HOME=/nowhere");
  const auto replayed = run_child(spec);
  ASSERT_TRUE(replayed);
  ASSERT_EQ(replayed->code, 0) << replayed->error_output;
  EXPECT_EQ(tree_of(out("replayed")), tree_of(out("recorded")));
  const auto again = run({"optimize", shipped("softmax"), "--record", recording, "--out", out()});
  EXPECT_EQ(again.code, 1) << "a recording is never mixed with another";
  const auto other = run(
      {"optimize", shipped("swish"), "--proposer", "replay:" + recording, "--out", out("other")});
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.errors.find("not the one"), std::string::npos) << other.errors;
}

TEST_F(ByHand, replays_what_a_model_said) {
  nlohmann::json replies = nlohmann::json::array();
  for (const int threads : {64, 128, 256}) {
    replies.push_back(
        {{"text", "idea: larger blocks\n\n```cuda\n" + version(threads, threads) + "```\n"}});
  }
  const std::string recording = out("run.jsonl");
  json_of({"optimize", task(), "--budget", "4", "--device", "vgpu:h200", "--proposer",
           "scripted-chat:" + file("script.json", replies.dump()), "--out", out("recorded"),
           "--record", recording, "--json"});
  std::filesystem::remove(folder_.path() / "script.json");
  json_of({"optimize", task(), "--proposer", "replay:" + recording, "--out", out("replayed"),
           "--json"});
  EXPECT_EQ(tree_of(out("replayed")), tree_of(out("recorded")));
  EXPECT_EQ(tree_of(out("replayed")).size(), 4u);
  const auto resumed = run({"resume", out("replayed")});
  EXPECT_EQ(resumed.code, 1);
  EXPECT_NE(resumed.errors.find("is a replay"), std::string::npos) << resumed.errors;
}

}  // namespace
}  // namespace kp::e2e
