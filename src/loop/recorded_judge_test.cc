// SPDX-License-Identifier: Apache-2.0
#include "loop/recorded_judge.h"

#include <fstream>

#include "loop/run_fixture.h"
#include "model/device_spec_text.h"
#include "model/json.h"
#include "task/task.h"

namespace kp::loop {
namespace {

class RecordedJudge : public FakeRun {
 protected:
  Path file() const { return base_.path() / "run.jsonl"; }
  Candidate candidate(double ns) const {
    return *task::make_candidate(task_, fake_version(ns, 1), "candidate.cu");
  }
  device::Description device() const {
    device::Description description;
    description.name = "vgpu:h200";
    description.spec = *read_device_spec(std::string(KP_SOURCE_DIR) + "/specs/h200.toml");
    return description;
  }
  void record(const std::string& rule, int evaluations) {
    auto recording = *llm::Recording::append(file());
    settings_.stop.budget = 20;
    ASSERT_TRUE(record_start(*recording, *to_meta(settings_, task_), device()));
    if (rule.empty()) return;
    ASSERT_TRUE(record_end(*recording, rule, evaluations));
  }
};

TEST_F(RecordedJudge, says_again_what_was_said_in_its_order) {
  {
    RecordingJudge judge(*judge_, *llm::Recording::append(file()));
    ASSERT_TRUE(judge.judge(candidate(50), Depth::kQuick, {}));
    ASSERT_TRUE(judge.judge(candidate(70), Depth::kQuick, {}));
    ASSERT_TRUE(judge.judge(candidate(50), Depth::kFinal, {}));
    ASSERT_TRUE(judge.look_into(candidate(50), {}));
  }
  EXPECT_EQ(judge_->judged, 3);
  ReplayedJudge judge(task_, device(), *llm::Recording::read(file()));
  const auto slow = judge.judge(candidate(70), Depth::kQuick, {});
  ASSERT_TRUE(slow) << slow.error().text();
  EXPECT_EQ(slow->evaluation.measured()->nanoseconds, 70);
  EXPECT_TRUE(slow->diagnosis);
  EXPECT_EQ(judge.judge(candidate(50), Depth::kFinal, {})->evaluation.depth, Depth::kFinal);
  EXPECT_EQ(judge.judge(candidate(50), Depth::kQuick, {})->evaluation.depth, Depth::kQuick);
  EXPECT_FALSE(judge.look_into(candidate(50), {})->has_value());
  EXPECT_EQ(judge_->judged, 3) << "nothing was judged anew";
}

TEST_F(RecordedJudge, knows_nothing_of_what_was_not_judged_then) {
  { ASSERT_TRUE(llm::Recording::append(file())); }
  ReplayedJudge judge(task_, device(), *llm::Recording::read(file()));
  const auto judged = judge.judge(candidate(50), Depth::kQuick, {});
  ASSERT_FALSE(judged);
  EXPECT_EQ(judged.error().code, ErrorCode::kCorrupt);
  EXPECT_FALSE(judge.look_into(candidate(50), {}));
}

TEST_F(RecordedJudge, starts_with_the_settings_and_the_device_of_the_run) {
  record("budget", 20);
  auto recording = *llm::Recording::read(file());
  const auto run = read_run(*recording);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->settings.stop.budget, 20);
  EXPECT_EQ(run->device.name, "vgpu:h200");
  EXPECT_EQ(to_toml(run->device.spec), to_toml(device().spec));
  EXPECT_TRUE(check_same_task(run->meta, task_));
}

TEST_F(RecordedJudge, ends_the_replay_where_time_or_money_ended_the_run) {
  record("time", 7);
  EXPECT_EQ(read_run(**llm::Recording::read(file()))->settings.stop.budget, 7);
}

TEST_F(RecordedJudge, goes_as_far_as_a_run_that_was_resumed_with_a_larger_budget) {
  record("interrupted", 3);
  EXPECT_FALSE(read_run(**llm::Recording::read(file()))) << "it may be resumed";
  ASSERT_TRUE(record_end(**llm::Recording::append(file()), "budget", 40));
  EXPECT_EQ(read_run(**llm::Recording::read(file()))->settings.stop.budget, 40);
}

TEST_F(RecordedJudge, is_not_to_be_had_of_a_run_that_was_killed) {
  record("", 0);
  const auto run = read_run(**llm::Recording::read(file()));
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().text().find("kernelpro resume"), std::string::npos);
}

TEST_F(RecordedJudge, is_refused_when_its_lines_say_something_else) {
  const auto refused = [this](const std::string& value) {
    std::ofstream(file()) << R"({"kind": "run", "key": "", "value": )" << value << "}\n";
    const auto recording = llm::Recording::read(file());
    return recording && !read_run(**recording);
  };
  EXPECT_TRUE(refused("3"));
  EXPECT_TRUE(refused(R"({"settings": {"seed": 1}})"));
  EXPECT_TRUE(refused(R"({"settings": {}, "spec": ""})"));
}

}  // namespace
}  // namespace kp::loop
