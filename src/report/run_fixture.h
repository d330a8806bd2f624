// SPDX-License-Identifier: Apache-2.0
// Runs of a few nodes, written to a real store, for the tests of this room.
#pragma once
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "report/run_view.h"

namespace kp::report {

inline Evaluation measured_in(double ns, Depth depth = Depth::kQuick) {
  Measured measured;
  measured.nanoseconds = ns;
  measured.workloads = {{"time-64x64", ns, std::nullopt, std::nullopt}};
  measured.worst_error = 1e-7;
  measured.error_limit = 2e-5;
  Evaluation evaluation{measured, depth, "vgpu:h200", 0.5};
  evaluation.notes = {"oracle: host"};
  return evaluation;
}

inline Evaluation wrong(Depth depth = Depth::kQuick) {
  WrongAnswer answer;
  answer.message = "y is wrong";
  return {.outcome = answer, .depth = depth, .device = "vgpu:h200", .wall_seconds = 0.5};
}

inline Diagnosis memory_bound() {
  Diagnosis diagnosis;
  diagnosis.boundness = Boundness::kMemory;
  diagnosis.why = "memory: the work has 0.5 FLOP/byte";
  return diagnosis;
}

class StoredRun : public testing::Test {
 protected:
  /// The root: a baseline of 100 ns, or a virtual one.
  void add_baseline() {
    append(store::ProposalRecord{0, std::nullopt, "one\ntwo\n", {}, "the baseline", "", "", {}});
    store::NodeRecord root{0, std::nullopt, 0, "c0", measured_in(100), 1.0, memory_bound()};
    append(root);
  }
  void add_virtual_root() { append(store::NodeRecord{}); }

  /// The next node, a child of `parent`, with an ask and a proposal that `bank_conflict` led to.
  int add(int parent, const Evaluation& evaluation) {
    const int id = ++nodes_;
    append(store::AskRecord{id, parent, "improve", "is the best so far"});
    append(store::ProposalRecord{id,
                                 id,
                                 "one\nversion " + std::to_string(id) + "\n",
                                 {{"BLOCK", 128}},
                                 "idea " + std::to_string(id),
                                 "bank_conflict",
                                 "pad-shared",
                                 {1.2, 2.5}});
    store::NodeRecord node{id, parent, id, "c" + std::to_string(id), evaluation, {}, {}};
    if (evaluation.measured()) node.speedup = 100 / evaluation.measured()->nanoseconds;
    append(node);
    return id;
  }
  void judge_fully(int node, const Evaluation& evaluation) {
    append(store::FinalRecord{node, evaluation});
  }
  void append(const store::Record& record) {
    const auto appended = store_->append(record);
    ASSERT_TRUE(appended) << appended.error().text();
  }
  RunView view() const {
    auto run = read_run(folder());
    EXPECT_TRUE(run) << run.error().text();
    return run ? *std::move(run) : RunView{};
  }
  Path folder() const { return base_.path() / "run"; }

 private:
  TemporaryFolder base_ = *TemporaryFolder::make();
  int nodes_ = 0;

 protected:
  store::Meta meta_{{"task_name", "softmax"}, {"device", "vgpu:h200"}, {"seed", "7"}};
  Result<store::RunStore> store_ = store::RunStore::create(folder(), meta_);
};

}  // namespace kp::report
