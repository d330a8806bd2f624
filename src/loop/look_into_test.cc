// SPDX-License-Identifier: Apache-2.0
// Nodes that are to be improved get all metrics, once; a run that goes on knows what they said.
#include <gtest/gtest.h>

#include <set>

#include "harness/device_fixture.h"
#include "loop/harness_judge.h"
#include "loop/session.h"
#include "profile/metric_sets.h"

namespace kp::loop {
namespace {

/// Sees what it is told of the parent; writes versions that differ in a comment.
class Onlooker : public propose::Proposer {
 public:
  std::string_view name() const override { return "onlooker"; }
  Result<std::vector<propose::Proposal>> propose(const propose::Request& request) override {
    const Measured* measured = request.evaluation ? request.evaluation->measured() : nullptr;
    if (measured) {
      const auto& metrics = measured->profile.kernels.front().metrics;
      seen.push_back(metrics.get(metric::kWarpsEligible));
    }
    propose::Proposal proposal;
    proposal.source = request.parent->source + "// version\n";
    return std::vector{proposal};
  }
  std::vector<std::optional<double>> seen;
};

class LookInto : public harness::HardwareTest {
 protected:
  void SetUp() override {
    HardwareTest::SetUp();
    if (IsSkipped()) return;
    bend_.counters = [this](const device::CountRequest& request) -> Result<device::CountReport> {
      const bool full = request.metrics.size() == profile::full_metrics().size();
      full_asked_ += full ? 1 : 0;
      device::LaunchReport launch;
      if (full) launch.metrics.set(metric::kWarpsEligible, 3.5, Grade::kMeasured);
      return device::CountReport{{}, {launch}, 1};
    };
    settings_.task = (folder_.path() / "scale.cu").string();
    settings_.device = "cuda";
    settings_.search = "greedy";
    settings_.stop.budget = 4;
  }

  /// The task is its own baseline.
  Result<harness::Harness> open_with_baseline() {
    auto task = task_of(harness::kScale);
    if (task) task->baseline = harness::kScale;
    KP_TRY(auto read, std::move(task));
    return harness::Harness::open(std::move(read), *bench_, *builder_, {.cache = cache()});
  }

  Settings settings_;
  Onlooker onlooker_;
  int full_asked_ = 0;
};

TEST_F(LookInto, TheProposerSeesAllMetricsAndTheyAreTakenOncePerNode) {
  auto harness = open_with_baseline();
  ASSERT_TRUE(harness) << harness.error().text();
  HarnessJudge judge(*harness, *bench_);
  auto session = Session::start(settings_, {judge, onlooker_}, folder_.path() / "run");
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ(full_asked_, 0) << "few metrics do for a verdict";
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(session->step());
  ASSERT_EQ(onlooker_.seen.size(), 2u);
  EXPECT_EQ(onlooker_.seen[0], 3.5);
  EXPECT_EQ(onlooker_.seen[1], 3.5);
  auto store = store::RunStore::open(folder_.path() / "run", Sqlite::Access::kRead);
  ASSERT_TRUE(store);
  const auto history = store->history();
  ASSERT_TRUE(history);
  std::set<int> looked_into;
  for (const store::Record& record : *history) {
    const auto* later = std::get_if<store::ProfileRecord>(&record);
    if (later == nullptr) continue;
    EXPECT_TRUE(looked_into.insert(later->node).second) << "node twice: " << later->node;
  }
  EXPECT_EQ(static_cast<int>(looked_into.size()), full_asked_);
}

TEST_F(LookInto, ARunThatGoesOnDoesNotAskAgain) {
  auto harness = open_with_baseline();
  ASSERT_TRUE(harness) << harness.error().text();
  HarnessJudge judge(*harness, *bench_);
  const Rooms rooms{judge, onlooker_};
  {
    auto session = Session::start(settings_, rooms, folder_.path() / "run");
    ASSERT_TRUE(session) << session.error().text();
    ASSERT_TRUE(session->step());
  }
  ASSERT_EQ(full_asked_, 1);
  auto store = store::RunStore::open(folder_.path() / "run", Sqlite::Access::kWrite);
  ASSERT_TRUE(store) << store.error().text();
  auto session = Session::resume(settings_, rooms, *std::move(store));
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ(full_asked_, 1) << "what was learned is stored";
}

TEST_F(LookInto, AVirtualGpuKnowsAllFromTheStart) {
  auto task = task_of(harness::kScale);
  ASSERT_TRUE(task);
  auto harness = harness::Harness::open(*std::move(task), *device_, *builder_, {.cache = cache()});
  ASSERT_TRUE(harness) << harness.error().text();
  const auto candidate = task::make_candidate(harness->task(), harness::kScale, "candidate.cu");
  const auto full = harness->profile_fully(*candidate);
  ASSERT_TRUE(full) << full.error().text();
  EXPECT_FALSE(full->has_value());
}

}  // namespace
}  // namespace kp::loop
