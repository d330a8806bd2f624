// SPDX-License-Identifier: Apache-2.0
#include "loop/track_record.h"

#include <gtest/gtest.h>

namespace kp::loop {
namespace {

store::LedgerLine line(const std::string& tool, double predicted, std::optional<double> gain) {
  store::LedgerLine made;
  made.tool = tool;
  made.predicted = {1, predicted};
  made.gain = gain;
  return made;
}

diagnose::TrackRecord track_record(const std::vector<store::LedgerLine>& ledger) {
  Tally tally;
  tally.add(ledger);
  return tally.record();
}

TEST(TrackRecord, is_empty_without_a_ledger) { EXPECT_TRUE(track_record({}).empty()); }

TEST(TrackRecord, rises_with_promises_kept_and_falls_with_failures) {
  const auto record = track_record(
      {line("good", 2, 2), line("good", 2, 4), line("bad", 2, 0.9), line("bad", 2, std::nullopt)});
  EXPECT_DOUBLE_EQ(record.at("good"), 3.0 / 4);
  EXPECT_DOUBLE_EQ(record.at("bad"), 1.0 / 4);
}

TEST(TrackRecord, counts_half_of_a_promise_on_the_logarithmic_scale) {
  EXPECT_DOUBLE_EQ(track_record({line("half", 4, 2)}).at("half"), 0.5);
}

TEST(TrackRecord, comes_to_the_same_from_a_ledger_in_pieces) {
  Tally tally;
  store::LedgerLine first = line("good", 2, 2), second = line("good", 2, 4);
  first.node = 3;
  second.node = 7;
  tally.add({first});
  EXPECT_EQ(tally.last_node(), 3);
  tally.add({second});
  EXPECT_EQ(tally.last_node(), 7);
  EXPECT_EQ(tally.record(), track_record({first, second}));
}

}  // namespace
}  // namespace kp::loop
