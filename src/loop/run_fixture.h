// SPDX-License-Identifier: Apache-2.0
// A run of the fake task, for tests of this room.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "loop/fake_judge.h"
#include "loop/live_run.h"

namespace kp::loop {

class FakeRun : public testing::Test {
 protected:
  void SetUp() override {
    auto task = fake_task(base_.path());
    ASSERT_TRUE(task) << task.error().text();
    task_ = *std::move(task);
    judge_ = std::make_unique<FakeJudge>(task_);
    settings_.task = "copy.cu";
    settings_.device = "fake";
    const auto meta = to_meta(settings_, task_);
    ASSERT_TRUE(meta);
    ASSERT_TRUE(store::RunStore::create(folder(), *meta));
  }

  Path folder() const { return base_.path() / "run"; }
  /// As one of several processes; reads the history anew.
  Result<LiveRun> open() {
    KP_TRY(auto store, store::RunStore::share(folder()));
    return LiveRun::open(std::move(store), settings_, task_);
  }
  /// With the baseline judged.
  LiveRun planted() {
    LiveRun run = *open();
    EXPECT_TRUE(run.plant());
    enter(run, 0, 100);
    return run;
  }
  void enter(LiveRun& run, int proposal, double ns) {
    Measured measured;
    measured.nanoseconds = ns;
    const auto entered = run.enter(proposal, {Evaluation{measured}, Diagnosis{}}, std::nullopt);
    ASSERT_TRUE(entered) << entered.error().text();
  }
  static propose::Proposal version(double ns, int number) {
    propose::Proposal proposal;
    proposal.source = fake_version(ns, number);
    return proposal;
  }
  /// Everything about the tree that two replays must agree on.
  static std::vector<std::string> tree_of(const LiveRun& run) {
    std::vector<std::string> lines;
    for (const search::Node& node : run.tree().nodes()) {
      lines.push_back(std::to_string(node.id) + " of " + std::to_string(node.parent) + ", " +
                      std::to_string(node.reward) + ", open " + std::to_string(node.open_asks) +
                      ", pending " + std::to_string(node.pending) + ", visits " +
                      std::to_string(node.visits) + (node.exhausted ? ", exhausted" : ""));
    }
    return lines;
  }

  TemporaryFolder base_ = *TemporaryFolder::make();
  Task task_;
  std::unique_ptr<FakeJudge> judge_;
  Settings settings_;
};

}  // namespace kp::loop
