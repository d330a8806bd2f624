// SPDX-License-Identifier: Apache-2.0
// Several real processes at one run: nothing is lost, nothing is judged twice.
#include "loop/worker.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <map>
#include <set>

#include "loop/run_fixture.h"

namespace kp::loop {
namespace {

class WorkerTest : public FakeRun {
 protected:
  /// A process that ends with what `body` returns.
  pid_t start(const std::function<int()>& body) {
    const pid_t child = fork();
    if (child == 0) _exit(body());
    return child;
  }
  static int end_of(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  /// Asks, answers with two versions, volunteers one, judges what is pending; `rounds` times.
  int take_part(int me, int rounds) {
    auto run = open();
    if (!run) return 1;
    FakeJudge judge(task_);
    Worker worker(*run, judge, nullptr);
    for (int round = 0; round < rounds; ++round) {
      const int number = me * 1000 + round * 10;
      const auto ask = run->ask();
      if (!ask) return 2;
      if (*ask && !run->volunteer((*ask)->ask.node,
                                  {version(90 - round, number), version(95 - round, number + 1)})) {
        return 3;
      }
      if (!run->volunteer(0, {version(99, number + 2)})) return 4;
      if (!worker.step()) return 5;
    }
    while (true) {
      const auto more = worker.step();
      if (!more) return 6;
      if (!*more) return 0;
    }
  }

  /// Each proposal became exactly one node, or is pending; numbers have no gaps.
  void expect_nothing_lost_or_doubled(std::size_t proposals) {
    auto store = *store::RunStore::open(folder(), Sqlite::Access::kRead);
    std::map<int, int> nodes_of;
    std::set<int> made;
    std::set<std::string> sources;
    const auto history = *store.history();
    for (const auto& record : history) {
      if (const auto* node = std::get_if<store::NodeRecord>(&record)) ++nodes_of[*node->proposal];
      if (const auto* proposal = std::get_if<store::ProposalRecord>(&record)) {
        made.insert(proposal->id);
        EXPECT_TRUE(sources.insert(proposal->source).second) << "proposal " << proposal->id;
      }
    }
    EXPECT_EQ(made.size(), proposals);
    EXPECT_EQ(*made.rbegin(), static_cast<int>(proposals) - 1);
    EXPECT_EQ(nodes_of.size(), proposals) << "some were not judged";
    for (const auto& [proposal, nodes] : nodes_of) EXPECT_EQ(nodes, 1) << proposal;
  }
};

TEST_F(WorkerTest, judges_the_baseline_first_and_then_what_was_handed_in) {
  LiveRun run = *open();
  ASSERT_TRUE(run.plant());
  Worker worker(run, *judge_, nullptr);
  EXPECT_TRUE(*worker.step());
  EXPECT_EQ(run.tree().best(), 0);
  EXPECT_FALSE(*worker.step());
  ASSERT_TRUE(run.volunteer(0, {version(50, 1)}));
  EXPECT_TRUE(*worker.step());
  EXPECT_EQ(run.tree().best(), 1);
  EXPECT_DOUBLE_EQ(run.tree().node(1).trial.speedup, 2);
}

TEST_F(WorkerTest, lets_be_what_another_one_is_at) {
  LiveRun run = planted();
  ASSERT_TRUE(run.volunteer(0, {version(50, 1), version(60, 2)}));
  const auto claim = store::Claim::take(folder(), 1);
  ASSERT_TRUE(*claim);
  Worker worker(run, *judge_, nullptr);
  EXPECT_TRUE(*worker.step());
  EXPECT_FALSE(*worker.step());
  EXPECT_EQ(run.history().pending(), std::set<int>{1});
}

TEST_F(WorkerTest, together_with_three_others_loses_and_doubles_nothing) {
  { const LiveRun run = planted(); }
  constexpr int kRounds = 8, kProcesses = 4;
  std::vector<pid_t> children;
  for (int me = 1; me <= kProcesses; ++me) {
    children.push_back(start([this, me] { return take_part(me, kRounds); }));
  }
  for (const pid_t child : children) EXPECT_EQ(end_of(child), 0);
  // A process may end while another is at the last proposal; that one finishes it.
  expect_nothing_lost_or_doubled(1 + 3 * kRounds * kProcesses);
  const auto run = open();
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_TRUE(run->history().open().empty());
}

/// Tells when it begins to judge, and never ends.
class StuckJudge final : public Judge {
 public:
  StuckJudge(Judge& judge, int pipe) : judge_(judge), pipe_(pipe) {}
  const Task& task() const override { return judge_.task(); }
  const device::Description& device() const override { return judge_.device(); }
  Result<Judged> judge(const Candidate&, Depth, const diagnose::TrackRecord&) override {
    const char byte = 1;
    if (write(pipe_, &byte, 1) == 1) pause();
    _exit(9);
  }
  Result<std::optional<FullProfile>> look_into(const Candidate&,
                                               const diagnose::TrackRecord&) override {
    return std::optional<FullProfile>{};
  }

 private:
  Judge& judge_;
  int pipe_;
};

TEST_F(WorkerTest, takes_over_what_a_killed_one_was_judging) {
  {
    LiveRun run = planted();
    ASSERT_TRUE(run.volunteer(0, {version(50, 1)}));
  }
  int began[2];
  ASSERT_EQ(pipe(began), 0);
  const pid_t child = start([&] {
    auto run = open();
    StuckJudge judge(*judge_, began[1]);
    return Worker(*run, judge, nullptr).step() ? 0 : 1;
  });
  char byte;
  ASSERT_EQ(read(began[0], &byte, 1), 1);
  LiveRun run = *open();
  Worker other(run, *judge_, nullptr);
  EXPECT_FALSE(*other.step()) << "it is being judged";
  kill(child, SIGKILL);
  EXPECT_EQ(end_of(child), -SIGKILL);
  EXPECT_TRUE(*other.step());
  EXPECT_EQ(judge_->judged, 1);
  expect_nothing_lost_or_doubled(2);
}

TEST_F(WorkerTest, says_that_a_baseline_does_not_work) {
  task_.baseline = "/* kernelpro\nlaunch nothing<<<1, 1>>>(x)\n*/\n";
  const auto meta = to_meta(settings_, task_);
  ASSERT_TRUE(store::RunStore::create(base_.path() / "other", *meta));
  auto store = store::RunStore::share(base_.path() / "other");
  auto run = LiveRun::open(*std::move(store), settings_, task_);
  ASSERT_TRUE(run) << run.error().text();
  ASSERT_TRUE(run->plant());
  const auto worked = Worker(*run, *judge_, nullptr).step();
  ASSERT_FALSE(worked);
  EXPECT_NE(worked.error().text().find("baseline does not work"), std::string::npos);
}

}  // namespace
}  // namespace kp::loop
