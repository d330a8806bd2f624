// SPDX-License-Identifier: Apache-2.0
#include "store/run_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace kp::store {
namespace {

Path fresh_folder(const TemporaryFolder& base) { return base.path() / "run"; }

NodeRecord measured_node(int id, double ns) {
  NodeRecord node;
  node.id = id;
  if (id > 0) node.parent = 0;
  node.proposal = id;
  node.candidate = "c" + std::to_string(id);
  Measured measured;
  measured.nanoseconds = ns;
  measured.grade = Grade::kModelled;
  node.evaluation = Evaluation{measured, Depth::kQuick, "vgpu:h200", 0.5};
  node.evaluation->notes = {"a note"};
  node.speedup = 100 / ns;
  return node;
}

ProposalRecord proposal(int id, const std::string& tool) {
  ProposalRecord record;
  record.id = id;
  if (id > 0) record.ask = id;
  record.source = "__global__ void k() {}\n";
  record.tune = {{"BLOCK", 128}};
  record.tool = tool;
  record.action = tool.empty() ? "" : "pad-shared";
  record.predicted = {1.2, 2.5};
  return record;
}

void append_first_steps(RunStore& store) {
  ASSERT_TRUE(store.append(proposal(0, "")));
  ASSERT_TRUE(store.append(measured_node(0, 100)));
  ASSERT_TRUE(store.append(AskRecord{1, 0, "improve", "best of all"}));
  ASSERT_TRUE(store.append(proposal(1, "bank_conflict")));
  ASSERT_TRUE(store.append(measured_node(1, 50)));
  ASSERT_TRUE(store.append(CloseRecord{1, true}));
  ASSERT_TRUE(store.append(EndingRecord{"exhausted", "nothing more to try"}));
}

TEST(RunStore, gives_back_what_happened_in_order) {
  const auto base = *TemporaryFolder::make();
  {
    auto store = *RunStore::create(fresh_folder(base), {{"task", "tasks/x"}});
    append_first_steps(store);
  }
  auto store = *RunStore::open(fresh_folder(base), Sqlite::Access::kRead);
  EXPECT_EQ((*store.meta()).at("task"), "tasks/x");
  const auto history = *store.history();
  ASSERT_EQ(history.size(), 7u);
  EXPECT_EQ(std::get<ProposalRecord>(history[0]).ask, std::nullopt);
  EXPECT_EQ(std::get<AskRecord>(history[2]).why, "best of all");
  const auto& node = std::get<NodeRecord>(history[4]);
  EXPECT_EQ(node.parent, 0);
  EXPECT_EQ(node.speedup, 2);
  ASSERT_TRUE(node.evaluation && node.evaluation->measured());
  EXPECT_EQ(node.evaluation->measured()->nanoseconds, 50);
  EXPECT_EQ(node.evaluation->notes, std::vector<std::string>{"a note"});
  EXPECT_EQ(std::get<ProposalRecord>(history[3]).tune.at("BLOCK"), 128);
  EXPECT_TRUE(std::get<CloseRecord>(history[5]).exhausted);
  EXPECT_EQ(std::get<EndingRecord>(history[6]).rule, "exhausted");
}

TEST(RunStore, keeps_what_was_learned_of_a_node_later) {
  const auto base = *TemporaryFolder::make();
  auto store = *RunStore::create(fresh_folder(base), {});
  ASSERT_TRUE(store.append(proposal(0, "")));
  ASSERT_TRUE(store.append(measured_node(0, 100)));
  ProfileRecord later;
  later.profile.workload = "time-64";
  later.profile.kernels.emplace_back().metrics.set(metric::kDuration, 100, Grade::kMeasured);
  later.diagnosis.why = "all metrics are known";
  ASSERT_TRUE(store.append(later));
  const auto history = *store.history();
  ASSERT_EQ(history.size(), 3u);
  const auto& record = std::get<ProfileRecord>(history[2]);
  EXPECT_EQ(record.node, 0);
  EXPECT_EQ(record.profile.workload, "time-64");
  ASSERT_EQ(record.profile.kernels.size(), 1u);
  EXPECT_EQ(record.profile.kernels[0].metrics.get(metric::kDuration), 100);
  EXPECT_EQ(record.diagnosis.why, "all metrics are known");
}

TEST(RunStore, keeps_a_ledger_of_what_was_predicted_and_gained) {
  const auto base = *TemporaryFolder::make();
  auto store = *RunStore::create(fresh_folder(base), {});
  append_first_steps(store);
  const auto ledger = *store.ledger();
  ASSERT_EQ(ledger.size(), 1u) << "the baseline has no prediction";
  EXPECT_EQ(ledger[0].tool, "bank_conflict");
  EXPECT_EQ(ledger[0].predicted.high, 2.5);
  EXPECT_EQ(ledger[0].gain, 2);
}

TEST(RunStore, takes_measured_gains_from_ratios_to_the_baseline) {
  const auto base = *TemporaryFolder::make();
  auto store = *RunStore::create(fresh_folder(base), {});
  Measured measured;
  measured.grade = Grade::kMeasured;
  NodeRecord root, child;
  ASSERT_TRUE(store.append(AskRecord{0, 0, "improve", "it is the root"}));
  auto advice = proposal(1, "bank_conflict");
  advice.ask = 0;
  auto start = proposal(0, "");
  start.ask.reset();
  ASSERT_TRUE(store.append(start));
  ASSERT_TRUE(store.append(advice));
  root.proposal = 0;
  child.id = 1, child.parent = 0, child.proposal = 1;
  measured.nanoseconds = 100, measured.speedup = Speedup{1, 0.99, 1.01, 30};
  root.evaluation = Evaluation{measured}, root.speedup = 1;
  measured.nanoseconds = 80, measured.speedup = Speedup{2, 1.98, 2.02, 30};
  child.evaluation = Evaluation{measured}, child.speedup = 2;
  ASSERT_TRUE(store.append(root));
  ASSERT_TRUE(store.append(child));
  const auto ledger = *store.ledger();
  ASSERT_EQ(ledger.size(), 1u);
  EXPECT_EQ(ledger[0].gain, 2) << "not 100 / 80";
}

TEST(RunStore, refuses_a_second_driver_and_names_the_first) {
  const auto base = *TemporaryFolder::make();
  auto store = *RunStore::create(fresh_folder(base), {});
  const auto second = RunStore::open(fresh_folder(base), Sqlite::Access::kWrite);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kBusy);
  EXPECT_NE(second.error().message.find(std::to_string(getpid())), std::string::npos);
  EXPECT_TRUE(RunStore::open(fresh_folder(base), Sqlite::Access::kRead)) << "readers may look";
}

TEST(RunStore, refuses_to_start_a_run_where_there_is_one) {
  const auto base = *TemporaryFolder::make();
  ASSERT_TRUE(RunStore::create(fresh_folder(base), {}));
  const auto again = RunStore::create(fresh_folder(base), {});
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().text().find("kernelpro resume"), std::string::npos);
}

TEST(RunStore, says_that_a_damaged_file_is_damaged) {
  const auto base = *TemporaryFolder::make();
  std::filesystem::create_directories(fresh_folder(base));
  std::ofstream(fresh_folder(base) / "run.db") << "this is no database, but a text that is long "
                                                  "enough to be taken for a header of one.....";
  const auto store = RunStore::open(fresh_folder(base), Sqlite::Access::kRead);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(store.error().text().find("run.db"), std::string::npos);
}

TEST(RunStore, starts_over_what_a_process_left_that_was_killed_while_it_began_one) {
  const auto base = *TemporaryFolder::make();
  std::filesystem::create_directories(fresh_folder(base));
  std::ofstream(fresh_folder(base) / "run.db.new") << "half a database";
  const auto none = RunStore::open(fresh_folder(base), Sqlite::Access::kWrite);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  auto store = RunStore::create(fresh_folder(base), {{"task", "tasks/x"}});
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_EQ((*store->meta()).at("task"), "tasks/x");
  EXPECT_FALSE(std::filesystem::exists(fresh_folder(base) / "run.db.new"));
}

TEST(RunStore, says_that_there_is_no_run) {
  const auto base = *TemporaryFolder::make();
  const auto store = RunStore::open(base.path(), Sqlite::Access::kRead);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::kNotFound);
}

TEST(RunStore, cannot_start_below_a_file) {
  const auto base = *TemporaryFolder::make();
  std::ofstream(base.path() / "file") << "x";
  const auto store = RunStore::create(base.path() / "file" / "run", {});
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::kIo);
}

/// A file-size limit of the process stands for a disk that fills up.
TEST(RunStore, survives_a_full_disk_with_everything_before_it) {
  const auto base = *TemporaryFolder::make();
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    auto store = RunStore::create(fresh_folder(base), {});
    const rlimit limit{112 << 10, 112 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    for (int id = 0; store; ++id) {
      auto record = proposal(id, "");
      record.ask.reset();
      record.source.assign(4096, 'x');
      const auto appended = store->append(record);
      if (appended) continue;
      const bool clear = appended.error().text().find("disk") != std::string::npos;
      _exit(clear ? 0 : 3);
    }
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  auto store = RunStore::open(fresh_folder(base), Sqlite::Access::kWrite);
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_GT(store->history()->size(), 4u);
}

TEST(RunStore, loses_nothing_that_was_appended_when_its_process_is_killed) {
  const auto base = *TemporaryFolder::make();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto store = *RunStore::create(fresh_folder(base), {});
    for (int id = 0; id < 100000; ++id) {
      auto record = proposal(id, "");
      record.ask.reset();
      if (!store.append(record)) _exit(1);
      const char byte = 1;
      if (write(ready[1], &byte, 1) != 1) _exit(1);
    }
    _exit(0);
  }
  char seen[20];
  std::size_t acknowledged = 0;
  while (acknowledged < sizeof seen) {
    const auto got = read(ready[0], seen, sizeof seen - acknowledged);
    ASSERT_GT(got, 0);
    acknowledged += static_cast<std::size_t>(got);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  auto store = RunStore::open(fresh_folder(base), Sqlite::Access::kWrite);
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_GE(store->history()->size(), acknowledged);
}

}  // namespace
}  // namespace kp::store
