// SPDX-License-Identifier: Apache-2.0
#include "loop/session.h"

#include "loop/run_fixture.h"

namespace kp::loop {
namespace {

/// Writes versions that get faster; can be told to stop.
class Writer : public propose::Proposer {
 public:
  std::string_view name() const override { return "writer"; }
  Result<std::vector<propose::Proposal>> propose(const propose::Request& request) override {
    seen_asks.push_back(request.ask);
    seen_stop = seen_stop || request.stop != nullptr;
    seen_spec = seen_spec || request.spec != nullptr;
    seen_memory = std::max(seen_memory, request.memory.size());
    if (request.notes) request.notes->push_back("note of ask " + std::to_string(request.ask));
    if (failure) return tl::unexpected<Error>(*failure);
    const int version = static_cast<int>(request.known.size());
    propose::Proposal proposal;
    proposal.source = fake_version(100.0 - version, version);
    return std::vector{proposal};
  }
  std::optional<Error> failure;
  std::vector<int> seen_asks;
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
  Writer writer_;
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
