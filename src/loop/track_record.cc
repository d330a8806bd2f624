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

diagnose::TrackRecord track_record(const std::vector<store::LedgerLine>& ledger) {
  struct Sum {
    double value = kPrior * kPriorLines, lines = kPriorLines;
  };
  std::map<std::string, Sum, std::less<>> sums;
  for (const store::LedgerLine& line : ledger) {
    Sum& sum = sums[line.tool];
    sum.value += fulfilled(line);
    sum.lines += 1;
  }
  diagnose::TrackRecord record;
  for (const auto& [tool, sum] : sums) record[tool] = sum.value / sum.lines;
  return record;
}

}  // namespace kp::loop
