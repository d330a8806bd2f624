// SPDX-License-Identifier: Apache-2.0
// The tables of Nsight Compute's CSV. The raw page has one record for each launch and one column
// for each metric; the details page has one record for each metric or rule of a launch.
//
// A file is read twice: first only names and durations of all launches, then all that is kept of
// those few that stand for the others. So memory does not grow with launches times metrics.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/ncu_messages.h"
#include "profile/ncu_metrics.h"
#include "profile/ncu_rows.h"
#include "profile/ncu_value.h"
#include "profile/recording.h"

namespace kp::profile::ncu {

enum class Page { kRaw, kDetails };

/// One table: where its columns are, and what they mean.
struct Table {
  Page page = Page::kRaw;
  std::size_t columns = 0;
  /// Positions of the columns that say which launch a record is of.
  std::optional<std::size_t> id, process, kernel, block, grid, capability, device;
  /// Raw: the columns that are kept; the factor takes in the unit.
  struct Column {
    std::size_t at = 0;
    std::string name;
    double factor = 1;
  };
  std::vector<Column> kept;
  std::optional<std::size_t> duration;  // index into kept
  /// Details.
  std::optional<std::size_t> metric, unit, value, rule, type, text, speedup_type, speedup;
  Style style = Style::kDecimalPoint;
};

/// One launch: which it is, and where its records stand in the text.
struct Launch {
  std::size_t table = 0, begin = 0, end = 0;
  std::string_view kernel, block, grid;  // as fields
  std::optional<double> duration{};      // ns
};

/// All launches of a text.
struct Scan {
  std::vector<Table> tables;
  std::vector<Launch> launches;  // in order of recording
  Messages messages;
  std::vector<std::string> notes;
  std::string device, capability;  // "NVIDIA H200", "9.0"; empty: not recorded
};

/// First pass. Errors: kInvalidInput with the line (in `file`) that cannot be read.
Result<Scan> scan(std::string_view text, const std::string& file);
/// Second pass, for one launch: what is kept of its metrics, derived ones included.
MetricSet metrics_of(std::string_view text, const Table& table, const Launch& launch);
/// What the rules say of a launch; empty on the raw page.
std::vector<RuleMessage> rules_of(std::string_view text, const Table& table, const Launch& launch);

/// The table that a record of column names describes; errors name a column that is missing.
Result<Table> table_of(const Row& header);
/// Takes the units of a raw table's columns into their factors.
void take_units(Table& table, const Row& units);

}  // namespace kp::profile::ncu
