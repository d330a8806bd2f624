// SPDX-License-Identifier: Apache-2.0
#include "loop/live_run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "loop/run_fixture.h"

namespace kp::loop {
namespace {

class RunTest : public FakeRun {};

TEST_F(RunTest, comes_to_the_same_state_from_its_history_when_asks_interleave) {
  LiveRun run = planted();
  const int first = (*run.ask())->id, second = (*run.ask())->id;
  ASSERT_TRUE(run.answer(second, {version(50, 1), version(70, 2)}));
  ASSERT_TRUE(run.answer(first, {version(80, 3)}));
  enter(run, 3, 80);
  enter(run, 2, 70);
  ASSERT_TRUE(run.ask());
  ASSERT_TRUE(run.volunteer(1, {version(40, 4)}));
  enter(run, 1, 50);
  const auto again = open();
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(tree_of(*again), tree_of(run));
  EXPECT_EQ(again->history().pending(), run.history().pending());
  EXPECT_EQ(again->history().open().size(), run.history().open().size());
  EXPECT_EQ(again->history().known(), run.history().known());
}

TEST_F(RunTest, hears_what_another_process_did_before_it_takes_a_step) {
  LiveRun one = planted();
  LiveRun other = *open();
  const auto first = *one.ask(), second = *other.ask();
  EXPECT_NE(first->id, second->id);
  ASSERT_TRUE(one.answer(first->id, {version(50, 1)}));
  ASSERT_TRUE(other.answer(second->id, {version(60, 2)}));
  enter(other, 1, 50);
  enter(one, 2, 60);
  ASSERT_TRUE(other.catch_up());
  EXPECT_EQ(tree_of(one), tree_of(other));
}

TEST_F(RunTest, closes_an_ask_with_its_last_verdict_and_exhausts_a_node_when_nothing_comes) {
  LiveRun run = planted();
  const auto first = *run.ask();
  ASSERT_TRUE(run.answer(first->id, {version(50, 1), version(60, 2)}));
  enter(run, 1, 50);
  EXPECT_TRUE(run.history().open().contains(first->id));
  enter(run, 2, 60);
  EXPECT_TRUE(run.history().open().empty());
  const auto second = *run.ask();
  ASSERT_TRUE(run.answer(second->id, {}));
  EXPECT_TRUE(run.tree().node(second->ask.node).exhausted);
  EXPECT_FALSE(run.answer(second->id, {version(1, 1)})) << "it is closed";
}

TEST_F(RunTest, gives_what_is_handed_in_to_the_open_ask_of_the_node_and_takes_nothing_twice) {
  LiveRun run = planted();
  const auto ask = *run.ask();
  const auto handed = run.volunteer(0, {version(50, 1), version(50, 1)});
  ASSERT_TRUE(handed) << handed.error().text();
  ASSERT_EQ(handed->size(), 2u);
  EXPECT_EQ(handed->at(0).proposal, 1);
  EXPECT_FALSE(handed->at(0).known);
  EXPECT_EQ(handed->at(1).proposal, 1);
  EXPECT_TRUE(handed->at(1).known);
  EXPECT_EQ(run.history().open().size(), 1u) << "of the search's ask";
  const auto more = run.volunteer(0, {version(60, 2)});
  ASSERT_TRUE(more);
  ASSERT_EQ(run.history().open().size(), 2u);
  EXPECT_TRUE(run.history().open().rbegin()->second.volunteered);
  const auto asks_before = run.history().next_ask();
  ASSERT_TRUE(run.volunteer(0, {version(60, 2)}));
  EXPECT_EQ(run.history().next_ask(), asks_before) << "nothing new, no ask for it";
  EXPECT_EQ(ask->id, 0);
}

TEST_F(RunTest, names_the_nodes_there_are_when_a_candidate_is_for_none_of_them) {
  LiveRun run = *open();
  const auto early = run.volunteer(0, {version(50, 1)});
  ASSERT_FALSE(early);
  EXPECT_NE(early.error().text().find("baseline is not judged"), std::string::npos);
  ASSERT_TRUE(run.plant());
  enter(run, 0, 100);
  const auto none = run.volunteer(7, {version(50, 1)});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text().find("its nodes are 0 to 0"), std::string::npos);
}

TEST_F(RunTest, refuses_a_verdict_on_what_was_judged_already) {
  LiveRun run = planted();
  LiveRun other = *open();
  ASSERT_TRUE(run.volunteer(0, {version(50, 1)}));
  enter(run, 1, 50);
  const auto again = other.enter(1, {Evaluation{Measured{}}, std::nullopt}, std::nullopt);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kBusy);
  EXPECT_EQ(open()->tree().nodes().size(), 2u);
}

TEST_F(RunTest, is_refused_to_those_who_share_while_one_process_drives_it) {
  auto alone = store::RunStore::open(folder(), Sqlite::Access::kWrite);
  ASSERT_TRUE(alone);
  const auto shared = open();
  ASSERT_FALSE(shared);
  EXPECT_EQ(shared.error().code, ErrorCode::kBusy);
  EXPECT_NE(shared.error().message.find("driven by process " + std::to_string(getpid())),
            std::string::npos);
}

TEST_F(RunTest, is_not_driven_alone_while_others_share_it) {
  const auto shared = open();
  ASSERT_TRUE(shared);
  EXPECT_TRUE(open()) << "any number may share";
  const auto alone = store::RunStore::open(folder(), Sqlite::Access::kWrite);
  ASSERT_FALSE(alone);
  EXPECT_NE(alone.error().message.find("in use by process"), std::string::npos);
}

/// Dies at one of its records, as if the process were killed there.
void die_in_a_change(LiveRun& run, int records) {
  auto change = run.store().change();
  if (!change) _exit(1);
  for (int i = 0; i < 3; ++i) {
    if (i == records) raise(SIGKILL);
    const bool ask = i == 0;
    const auto inserted =
        ask ? run.store().insert(store::AskRecord{0, 0, "improve", "", true})
            : run.store().insert(store::ProposalRecord{.id = i, .ask = 0, .source = "x"});
    if (!inserted) _exit(1);
  }
  if (records == 3) raise(SIGKILL);
  if (!change->commit()) _exit(1);
  raise(SIGKILL);
}

TEST_F(RunTest, has_all_of_what_was_handed_in_or_nothing_wherever_the_process_is_killed) {
  { const LiveRun run = planted(); }
  for (const int records : {0, 1, 2, 3, 4}) {
    const pid_t child = fork();
    if (child == 0) {
      auto run = open();
      if (!run) _exit(1);
      die_in_a_change(*run, records);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const auto run = open();
    ASSERT_TRUE(run) << run.error().text();
    EXPECT_EQ(run->history().pending().size(), records == 4 ? 2u : 0u) << records;
    EXPECT_EQ(run->history().open().size(), records == 4 ? 1u : 0u) << records;
  }
}

}  // namespace
}  // namespace kp::loop
