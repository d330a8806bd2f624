// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "profile/ncu_pages.h"

namespace kp::profile::ncu {
namespace {

std::optional<std::size_t> position(const Row& header, std::string_view name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header.begin());
}

void place_details(Table& table, const Row& header) {
  table.page = Page::kDetails;
  table.unit = position(header, "Metric Unit");
  table.value = position(header, "Metric Value");
  table.rule = position(header, "Rule Name");
  table.type = position(header, "Rule Type");
  table.text = position(header, "Rule Description");
  table.speedup_type = position(header, "Estimated Speedup Type");
  table.speedup = position(header, "Estimated Speedup");
}

void place_columns(Table& table, const Row& header) {
  for (std::size_t at = 0; at < header.size(); ++at) {
    const std::optional<Meaning> meaning = meaning_of(header[at]);
    if (!meaning) continue;
    if (meaning->name == metric::kDuration.name) table.duration = table.kept.size();
    table.kept.push_back({at, std::string(meaning->name), meaning->factor});
  }
}

}  // namespace

Result<Table> table_of(const Row& header) {
  Table table{.columns = header.size()};
  table.id = position(header, "ID");
  table.process = position(header, "Process ID");
  table.kernel = position(header, "Kernel Name");
  table.block = position(header, "Block Size");
  table.grid = position(header, "Grid Size");
  table.capability = position(header, "CC");
  table.device = position(header, "device__attribute_display_name");
  table.metric = position(header, "Metric Name");
  if (position(header, "Invocations")) {
    return fail(ErrorCode::kInvalidInput, "the table is a summary over launches",
                "export it again without --print-summary");
  }
  if (!table.id || !table.kernel) {
    return fail(ErrorCode::kInvalidInput, "the table has no column ID or no column Kernel Name",
                "export it with `ncu --import REPORT --csv --page raw`");
  }
  if (!table.metric) {
    place_columns(table, header);
    return table;
  }
  place_details(table, header);
  if (table.value) return table;
  return fail(ErrorCode::kInvalidInput, "the table has no column Metric Value",
              "export it with `ncu --import REPORT --csv --page details`");
}

void take_units(Table& table, const Row& units) {
  for (Table::Column& column : table.kept) column.factor *= factor_to_base(units[column.at]);
}

}  // namespace kp::profile::ncu
