// SPDX-License-Identifier: Apache-2.0
#include "report/run_json.h"

#include <nlohmann/json.hpp>

#include "report/run_fixture.h"

namespace kp::report {
namespace {

using JsonOf = StoredRun;

TEST_F(JsonOf, a_run_holds_its_settings_nodes_ledger_and_ending) {
  add_baseline();
  add(0, measured_in(50));
  append(store::EndingRecord{"budget", "the budget of 2 evaluations is spent"});
  const auto json = to_json(view());
  EXPECT_EQ(json.at("settings").at("seed"), "7");
  EXPECT_EQ(json.at("best"), 1);
  ASSERT_EQ(json.at("nodes").size(), 2u);
  EXPECT_EQ(json.at("nodes")[1].at("parent"), 0);
  EXPECT_EQ(json.at("nodes")[1].at("speedup"), 2.0);
  EXPECT_EQ(json.at("nodes")[1].at("tune").at("BLOCK"), 128);
  ASSERT_EQ(json.at("ledger").size(), 1u);
  EXPECT_EQ(json.at("ledger")[0].at("gain"), 2.0);
  EXPECT_EQ(json.at("stopped_because"), "budget");
}

TEST_F(JsonOf, values_that_are_not_known_are_null) {
  add_virtual_root();
  add(0, wrong());
  const auto json = to_json(view());
  EXPECT_TRUE(json.at("best").is_null());
  EXPECT_TRUE(json.at("stopped_because").is_null());
  EXPECT_TRUE(json.at("nodes")[0].at("parent").is_null());
  EXPECT_EQ(json.at("nodes")[0].at("outcome"), "virtual");
  EXPECT_TRUE(json.at("nodes")[1].at("speedup").is_null());
  EXPECT_TRUE(json.at("ledger")[0].at("gain").is_null());
}

TEST_F(JsonOf, a_node_holds_its_source_both_judgements_and_its_ledger_line) {
  add_baseline();
  add(0, measured_in(50));
  judge_fully(1, measured_in(40, Depth::kFinal));
  const RunView run = view();
  const auto json = node_to_json(run, 1);
  EXPECT_EQ(json.at("why"), "is the best so far");
  EXPECT_EQ(json.at("source"), "one\nversion 1\n");
  EXPECT_TRUE(json.contains("evaluation"));
  EXPECT_TRUE(json.contains("final_evaluation"));
  EXPECT_EQ(json.at("ledger").at("predicted_high"), 2.5);
  EXPECT_TRUE(node_to_json(run, 0).contains("diagnosis"));
}

}  // namespace
}  // namespace kp::report
