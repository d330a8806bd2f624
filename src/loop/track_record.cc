// SPDX-License-Identifier: Apache-2.0
#include "loop/track_record.h"

#include <algorithm>
#include <cmath>

namespace kp::loop {
namespace {

constexpr double kPrior = 0.5;
constexpr double kPriorLines = 2;

double fulfilled(const store::LedgerLine& line) {
  if (!line.gain || *line.gain <= 1) return 0;
  if (line.predicted.high <= 1) return 1;
  return std::clamp(std::log(*line.gain) / std::log(line.predicted.high), 0.0, 1.0);
}

}  // namespace

void Tally::add(const std::vector<store::LedgerLine>& lines) {
  for (const store::LedgerLine& line : lines) {
    Sum& sum = sums_[line.tool];
    sum.value += fulfilled(line);
    sum.lines += 1;
    last_node_ = line.node;
  }
}

diagnose::TrackRecord Tally::record() const {
  diagnose::TrackRecord record;
  for (const auto& [tool, sum] : sums_) {
    record[tool] = (sum.value + kPrior * kPriorLines) / (sum.lines + kPriorLines);
  }
  return record;
}

}  // namespace kp::loop
