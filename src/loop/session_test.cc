// SPDX-License-Identifier: Apache-2.0
#include "loop/session.h"

#include "loop/run_fixture.h"
#include "loop/spending.h"

namespace kp::loop {
namespace {

/// Writes versions that get faster; can be told to stop.
class SeeingWriter : public propose::Proposer {
 public:
  std::string_view name() const override { return "writer"; }
  Result<std::vector<propose::Proposal>> propose(const propose::Request& request) override {
    seen_asks.push_back(request.ask);
    seen_stop = seen_stop || request.stop != nullptr;
    seen_spec = seen_spec || request.spec != nullptr;
    seen_memory = std::max(seen_memory, request.memory.size());
    if (request.notes) request.notes->push_back("note of ask " + std::to_string(request.ask));
    if (failure) return tl::unexpected<Error>(*failure);
    seen_most.push_back(request.most);
    if (interrupts) interrupts->request();
    if (used) used = {used->calls + 1, used->tokens + 100, *used->dollars + 1, false};
    if (silent > 0 && silent--) return std::vector<propose::Proposal>{};
    const int version = static_cast<int>(request.known.size());
    propose::Proposal proposal;
    proposal.source = fake_version(100.0 - version, version);
    return std::vector{proposal};
  }
  bool exhausted(const propose::Request&) const override { return gives_up; }
  std::optional<llm::Spending> spent() const override { return used; }
  std::optional<llm::Spending> used;  // each ask adds 100 tokens and a dollar
  std::optional<Error> failure;
  int silent = 0;  // asks from now on that bring nothing
  bool gives_up = false;
  StopFlag* interrupts = nullptr;
  std::vector<int> seen_asks, seen_most;
  bool seen_stop = false, seen_spec = false;
  std::size_t seen_memory = 0;
};

class SessionTest : public FakeRun {
 protected:
  void SetUp() override {
    FakeRun::SetUp();
    settings_.stop.budget = 6;
  }
  Path fresh() const { return base_.path() / "session"; }
  Rooms rooms() { return {*judge_, writer_}; }
  Result<Session> resume() {
    KP_TRY(auto store, store::RunStore::open(fresh(), Sqlite::Access::kWrite));
    return Session::resume(settings_, rooms(), std::move(store));
  }
  SeeingWriter writer_;
  StopFlag stop_;
};

TEST_F(SessionTest, goes_on_until_its_budget_is_spent_and_keeps_the_best) {
  auto session = Session::start(settings_, rooms(), fresh());
  ASSERT_TRUE(session) << session.error().text();
  const auto ending = session->run(stop_);
  ASSERT_TRUE(ending) << ending.error().text();
  EXPECT_EQ(ending->reason.rule, "budget");
  EXPECT_EQ(ending->evaluations, 6);
  EXPECT_EQ(ending->best, 5);
  EXPECT_NEAR(ending->speedup, 100.0 / 95, 1e-9);
  EXPECT_TRUE(std::filesystem::exists(ending->best_file));
  EXPECT_EQ(writer_.seen_asks, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(writer_.seen_stop && writer_.seen_spec);
}

TEST_F(SessionTest, ends_cleanly_when_the_proposer_has_spent_its_money_and_can_go_on_later) {
  writer_.failure = Error{ErrorCode::kLimit, "2.00 of 2.00 are spent", "", {}, {}};
  {
    auto session = Session::start(settings_, rooms(), fresh());
    const auto ending = session->run(stop_);
    ASSERT_TRUE(ending) << ending.error().text();
    EXPECT_EQ(ending->reason.rule, "spending");
    EXPECT_NE(ending->reason.sentence.find("budget of tokens or money"), std::string::npos);
    EXPECT_NE(ending->reason.sentence.find("2.00 of 2.00"), std::string::npos);
    EXPECT_EQ(ending->best, 0);
  }
  writer_.failure.reset();
  auto again = resume();
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->run(stop_)->evaluations, 6);
  EXPECT_EQ(writer_.seen_asks, (std::vector<int>{0, 0, 1, 2, 3, 4}))
      << "the ask that failed is answered later";
}

TEST_F(SessionTest, asks_again_at_a_node_for_which_one_ask_brought_nothing) {
  writer_.silent = 2;
  auto session = Session::start(settings_, rooms(), fresh());
  const auto ending = session->run(stop_);
  ASSERT_TRUE(ending) << ending.error().text();
  EXPECT_EQ(ending->reason.rule, "budget");
  EXPECT_FALSE(session->tree().node(0).exhausted);
}

TEST_F(SessionTest, ends_after_five_asks_in_a_row_without_a_proposal_and_tries_again_later) {
  writer_.silent = 4;
  {
    auto session = Session::start(settings_, rooms(), fresh());
    for (int ask = 0; ask < 5; ++ask) ASSERT_TRUE(session->step());
    EXPECT_FALSE(session->finished()) << "the fifth brought something";
    writer_.silent = 5;
    const auto ending = session->run(stop_);
    ASSERT_TRUE(ending) << ending.error().text();
    EXPECT_EQ(ending->reason.rule, "fruitless");
    EXPECT_EQ(ending->evaluations, 2);
    EXPECT_NE(ending->reason.sentence.find("5 asks in a row"), std::string::npos);
  }
  EXPECT_EQ(resume()->run(stop_)->reason.rule, "budget");
}

TEST_F(SessionTest, ends_when_the_proposer_has_nothing_more_for_any_node) {
  writer_.silent = 1;
  writer_.gives_up = true;
  auto session = Session::start(settings_, rooms(), fresh());
  EXPECT_EQ(session->run(stop_)->reason.rule, "exhausted");
  EXPECT_EQ(writer_.seen_asks.size(), 1u);
}

TEST_F(SessionTest, leaves_an_ask_open_that_was_interrupted_before_anything_came_of_it) {
  writer_.silent = 1;
  writer_.interrupts = &stop_;
  {
    auto session = Session::start(settings_, rooms(), fresh());
    EXPECT_EQ(session->run(stop_)->reason.rule, "interrupted");
  }
  writer_.interrupts = nullptr;
  auto session = resume();
  ASSERT_TRUE(session->step());
  EXPECT_EQ(writer_.seen_asks, (std::vector<int>{0, 0}));
}

TEST_F(SessionTest, does_not_take_another_failure_of_the_proposer_for_an_end) {
  auto session = Session::start(settings_, rooms(), fresh());
  writer_.failure = Error{ErrorCode::kTimeout, "no answer", "", {}, {}};
  const auto ending = session->run(stop_);
  ASSERT_FALSE(ending);
  EXPECT_EQ(ending.error().code, ErrorCode::kTimeout);
}

TEST_F(SessionTest, comes_to_the_same_tree_when_it_is_broken_off_after_any_step) {
  std::vector<std::string> whole;
  {
    auto session = Session::start(settings_, rooms(), base_.path() / "whole");
    ASSERT_TRUE(session->run(stop_));
    auto store = store::RunStore::open(base_.path() / "whole", Sqlite::Access::kRead);
    whole = tree_of(*LiveRun::open(*std::move(store), settings_, task_));
  }
  ASSERT_TRUE(Session::start(settings_, rooms(), fresh()));
  for (int i = 0; i < 4; ++i) {
    auto session = resume();
    ASSERT_TRUE(session) << session.error().text();
    ASSERT_TRUE(session->step());
  }
  ASSERT_TRUE(resume()->run(stop_));
  auto store = store::RunStore::open(fresh(), Sqlite::Access::kRead);
  EXPECT_EQ(tree_of(*LiveRun::open(*std::move(store), settings_, task_)), whole);
}

TEST_F(SessionTest, keeps_what_each_ask_used_for_those_who_go_on) {
  settings_.proposer = "scripted-chat:a";
  writer_.used.emplace();
  {
    auto session = Session::start(settings_, rooms(), fresh());
    ASSERT_TRUE(session->step());
    ASSERT_TRUE(session->step());
  }
  {
    auto store = store::RunStore::open(fresh(), Sqlite::Access::kWrite);
    const auto past = read_past(*store, "scripted-chat:a");
    ASSERT_TRUE(past) << past.error().text();
    EXPECT_EQ(past->replies, 2u);
    EXPECT_EQ(past->spent.tokens, 200);
    EXPECT_EQ(past->spent.dollars, 2);
    EXPECT_EQ(read_past(*store, "scripted-chat:b")->replies, 0u) << "another one's script";
    EXPECT_EQ(read_past(*store, "scripted-chat:b")->spent.calls, 2);
    writer_.used = past->spent;
  }
  {
    auto session = resume();
    ASSERT_TRUE(session->step());
    writer_.failure = Error{ErrorCode::kTimeout, "no answer", "", {}, {}};
    EXPECT_FALSE(session->step());
  }
  auto store = store::RunStore::open(fresh(), Sqlite::Access::kRead);
  ASSERT_EQ(store->spending()->size(), 3u) << "the failed call used nothing";
  EXPECT_EQ(store->spending()->back().tokens, 100);
  EXPECT_EQ(store->spending()->back().ask, 2);
}

TEST_F(SessionTest, does_not_know_the_cost_of_a_run_when_that_of_an_ask_is_unknown) {
  ASSERT_TRUE(Session::start(settings_, rooms(), fresh()));
  auto store = store::RunStore::open(fresh(), Sqlite::Access::kWrite);
  EXPECT_EQ(read_past(*store, "x")->spent.dollars, 0) << "nobody asked yet";
  ASSERT_TRUE(store->spend({0, "x", 1, 10, 0.5, false}));
  ASSERT_TRUE(store->spend({1, "x", 1, 10, std::nullopt, true}));
  ASSERT_TRUE(store->spend({2, "x", 1, 10, 0.5, false}));
  const auto past = read_past(*store, "x");
  EXPECT_EQ(past->spent.dollars, std::nullopt);
  EXPECT_TRUE(past->spent.estimated);
  EXPECT_EQ(past->spent.tokens, 30);
}

TEST_F(SessionTest, asks_for_all_seeds_at_once_where_there_is_no_baseline) {
  settings_.proposer_options.seeds = 3;
  settings_.proposer_options.temperatures = {0.2, 1};
  task_.baseline.reset();
  auto session = Session::start(settings_, rooms(), fresh());
  ASSERT_TRUE(session) << session.error().text();
  ASSERT_TRUE(session->step());
  ASSERT_TRUE(session->step());
  EXPECT_EQ(writer_.seen_most.front(), 6);
}

TEST_F(SessionTest, goes_on_with_what_people_left_open) {
  {
    LiveRun run = planted();
    ASSERT_TRUE(run.ask());
    ASSERT_TRUE(run.volunteer(0, {version(50, 1)}));
    ASSERT_TRUE(run.ask());
    ASSERT_TRUE(run.volunteer(0, {version(60, 2)}));
    ASSERT_TRUE(run.ask());
  }
  auto store = store::RunStore::open(folder(), Sqlite::Access::kWrite);
  auto session = Session::resume(settings_, rooms(), *std::move(store));
  ASSERT_TRUE(session) << session.error().text();
  const auto ending = session->run(stop_);
  ASSERT_TRUE(ending) << ending.error().text();
  EXPECT_EQ(ending->evaluations, 6);
  EXPECT_EQ(writer_.seen_asks.front(), 2) << "the one that nobody answered";
}

TEST_F(SessionTest, keeps_what_the_proposer_says_to_readers_and_gives_it_memory) {
  Rooms rooms = this->rooms();
  rooms.recall = [](LiveRun&, int) -> Result<std::vector<Experience>> {
    return std::vector<Experience>(3);
  };
  auto session = Session::start(settings_, rooms, fresh());
  ASSERT_TRUE(session->step());
  EXPECT_EQ(writer_.seen_memory, 3u);
  auto store = store::RunStore::open(fresh(), Sqlite::Access::kRead);
  std::vector<std::string> notes;
  const auto history = *store->history();
  for (const auto& record : history) {
    if (const auto* note = std::get_if<store::NoteRecord>(&record)) notes.push_back(note->text);
  }
  EXPECT_EQ(notes, std::vector<std::string>{"note of ask 0"});
}

}  // namespace
}  // namespace kp::loop
