// SPDX-License-Identifier: Apache-2.0
#include "loop/memory.h"

#include "loop/question.h"
#include "loop/run_fixture.h"
#include "loop/session.h"

namespace kp::loop {
namespace {

/// First a version that is wrong, then some that get faster; keeps what it was told.
class Writer : public propose::Proposer {
 public:
  std::string_view name() const override { return "writer"; }
  Result<std::vector<propose::Proposal>> propose(const propose::Request& request) override {
    memories.emplace_back(request.memory.begin(), request.memory.end());
    propose::Proposal proposal;
    const int version = static_cast<int>(memories.size());
    proposal.source = fake_version(100.0 - version, version);
    if (version == 1) proposal.source.replace(proposal.source.find("takes"), 5, "loses");
    proposal.idea = "idea " + std::to_string(version);
    proposal.tool = "bank_conflict";
    return std::vector{proposal};
  }
  std::vector<std::vector<Experience>> memories;  // one for each ask
};

class MemoryTest : public FakeRun {
 protected:
  void SetUp() override {
    FakeRun::SetUp();
    settings_.stop.budget = 6;
    settings_.memory_file = base_.path() / "memory.db";
  }
  /// What the proposer of a run in `name` was told, ask by ask.
  std::vector<std::vector<Experience>> told_in(const std::string& name) {
    Writer writer;
    auto session =
        Session::start(settings_, {*judge_, writer, nullptr, remembering()}, base_.path() / name);
    EXPECT_TRUE(session) << session.error().text();
    const auto ending = session->run(stop_);
    EXPECT_TRUE(ending) << ending.error().text();
    return writer.memories;
  }
  StopFlag stop_;
};

TEST_F(MemoryTest, the_failure_of_one_ask_is_told_in_later_ones) {
  const auto told = told_in("first");
  ASSERT_EQ(told.size(), 5u);
  EXPECT_TRUE(told[0].empty()) << "nothing was tried yet";
  std::vector<Experience> failures;
  for (const auto& list : told) {
    for (const Experience& one : list) {
      if (one.outcome == "wrong answer") failures.push_back(one);
    }
  }
  ASSERT_FALSE(failures.empty());
  EXPECT_EQ(failures[0].idea, "idea 1");
  EXPECT_FALSE(failures[0].lesson.empty());
}

TEST_F(MemoryTest, a_run_that_goes_on_has_not_forgotten) {
  {
    Writer writer;
    auto session =
        Session::start(settings_, {*judge_, writer, nullptr, remembering()}, base_.path() / "run2");
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(session->step());
  }
  Writer writer;
  auto store = store::RunStore::open(base_.path() / "run2", Sqlite::Access::kWrite);
  auto session =
      Session::resume(settings_, {*judge_, writer, nullptr, remembering()}, *std::move(store));
  ASSERT_TRUE(session->step());
  ASSERT_EQ(writer.memories.size(), 1u);
  EXPECT_FALSE(writer.memories[0].empty());
}

TEST_F(MemoryTest, runs_keep_to_themselves_unless_they_are_told_to_share) {
  told_in("first");
  EXPECT_FALSE(std::filesystem::exists(settings_.memory_file));
  EXPECT_TRUE(told_in("second")[0].empty());
}

TEST_F(MemoryTest, a_run_that_shares_is_told_what_another_has_learned) {
  settings_.memory = MemoryScope::kShared;
  told_in("first");
  const auto told = told_in("second");
  ASSERT_FALSE(told[0].empty());
  EXPECT_TRUE(std::any_of(told[0].begin(), told[0].end(),
                          [](const auto& one) { return one.outcome == "wrong answer"; }));
  auto memory = store::SharedMemory::open(settings_.memory_file);
  EXPECT_EQ(memory->read({})->size(), 10u) << "five of each run, each once";
}

TEST_F(MemoryTest, of_its_own_task_a_held_out_run_is_told_nothing_but_adds_to_it) {
  settings_.memory = MemoryScope::kShared;
  told_in("first");
  settings_.memory = MemoryScope::kHeldOut;
  const auto told = told_in("second");
  EXPECT_TRUE(told[0].empty());
  EXPECT_FALSE(told.back().empty()) << "its own experiences stay";
  for (const auto& list : told) {
    for (const Experience& one : list) EXPECT_EQ(one.run, told.back().front().run);
  }
  auto memory = store::SharedMemory::open(settings_.memory_file);
  EXPECT_EQ(memory->read({})->size(), 10u);
}

TEST_F(MemoryTest, what_people_hand_in_is_passed_on_and_stands_in_the_prompt) {
  settings_.memory = MemoryScope::kShared;
  told_in("first");
  LiveRun run = planted();
  const auto ask = *run.ask();
  const auto question = question_of(run, *ask, nullptr);
  ASSERT_TRUE(question) << question.error().text();
  EXPECT_NE(question->text.find("Tried on kernels with findings like these"), std::string::npos);
  EXPECT_NE(question->text.find("idea 1"), std::string::npos) << question->text;
  ASSERT_TRUE(run.answer(ask->id, {version(50, 77)}));
  enter(run, 1, 50);
  EXPECT_EQ(store::SharedMemory::open(settings_.memory_file)->read({})->size(), 6u);
}

TEST_F(MemoryTest, who_is_not_to_be_told_is_told_nothing) {
  settings_.proposer_options.memory = false;
  for (const auto& told : told_in("first")) EXPECT_TRUE(told.empty());
}

TEST_F(MemoryTest, the_run_records_whose_memory_it_has) {
  settings_.memory = MemoryScope::kHeldOut;
  const auto meta = *to_meta(settings_, task_);
  EXPECT_EQ(meta.at("memory_scope"), "held-out");
  const auto read = settings_from(meta);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->memory, MemoryScope::kHeldOut);
  EXPECT_EQ(read->memory_file, settings_.memory_file);
}

}  // namespace
}  // namespace kp::loop
